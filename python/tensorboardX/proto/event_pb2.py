"""Messages of tensorboardX/proto/event.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("event"))
