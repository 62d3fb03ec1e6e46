"""Messages of tensorboardX/proto/api.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("api"))
