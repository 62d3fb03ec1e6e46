"""Messages of tensorboardX/proto/attr_value.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("attr_value"))
