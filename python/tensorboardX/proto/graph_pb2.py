"""Messages of tensorboardX/proto/graph.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("graph"))
