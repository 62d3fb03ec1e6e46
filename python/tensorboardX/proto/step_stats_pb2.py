"""Messages of tensorboardX/proto/step_stats.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("step_stats"))
