"""Messages of tensorboardX/proto/types.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("types"))
