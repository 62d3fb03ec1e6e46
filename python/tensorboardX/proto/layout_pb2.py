"""Messages of tensorboardX/proto/layout.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("layout"))
