"""Messages of tensorboardX/proto/step_stats.proto."""

from typing import TYPE_CHECKING, Any

from compression_board._protos import module_contents

globals().update(module_contents("step_stats"))

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
