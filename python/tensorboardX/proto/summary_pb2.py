"""Messages of tensorboardX/proto/summary.proto."""

from typing import TYPE_CHECKING, Any

from compression_board._protos import module_contents

globals().update(module_contents("summary"))

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
