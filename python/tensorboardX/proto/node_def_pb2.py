"""Messages of tensorboardX/proto/node_def.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("node_def"))
