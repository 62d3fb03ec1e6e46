"""Messages of tensorboardX/proto/summary.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("summary"))
