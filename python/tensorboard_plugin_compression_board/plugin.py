"""The plugin that TensorBoard loads."""

import os

from tensorboard.backend import http_util
from tensorboard.plugins import base_plugin
from werkzeug import wrappers

from . import proxy
from .board_process import BoardError, BoardProcess

# The pages of the board show the data of all of these plugins of TensorBoard.
SHOWN_PLUGINS = (
    "compression_board", "scalars", "histograms", "images", "audio", "text", "hparams", "pr_curves",
    "mesh", "custom_scalars", "graphs", "graph_run_metadata", "graph_run_metadata_graph",
    "graph_keras_model", "graph_tagged_run_metadata",
)  # fmt: skip

# Shows the page in a frame, so that its styles and scripts do not affect TensorBoard's. The address
# is relative, so that it works behind --path_prefix, tunnels and the proxies of notebooks.
INDEX_JS = """\
export function render() {
  const frame = document.createElement('iframe');
  frame.src = new URL('board/', import.meta.url).href;
  frame.title = 'Compression Board';
  frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0';
  document.body.append(frame);
}
"""


class CompressionBoardPlugin(base_plugin.TBPlugin):
    """Shows the pages of the board. No process is started before a user opens the tab."""

    plugin_name = "compression_board"

    def __init__(self, context):
        super().__init__(context)
        logdir = getattr(context, "logdir", None)
        logdir_spec = getattr(getattr(context, "flags", None), "logdir_spec", None)
        data = ["--logdir_spec", logdir_spec] if logdir_spec else ["--logdir", os.path.expanduser(logdir or "")]
        self._has_data = bool(logdir or logdir_spec)
        self._board = BoardProcess([*data, "--host", "127.0.0.1", "--port", "0"])

    def get_plugin_apps(self):
        # TensorBoard removes the slash at the end of a path: "/board/" arrives as "/board".
        return {"/index.js": self._serve_index, "/board": self._serve_board, "/board/*": self._serve_board}

    def is_active(self):
        return False  # TensorBoard compares data_plugin_names() with the existing data.

    def data_plugin_names(self):
        return SHOWN_PLUGINS

    def frontend_metadata(self):
        return base_plugin.FrontendMetadata(es_module_path="/index.js", tab_name="Compression", disable_reload=True)

    @wrappers.Request.application
    def _serve_index(self, request):
        return http_util.Respond(request, INDEX_JS, "text/javascript")

    def _serve_board(self, environ, start_response):
        if not self._has_data:
            text = "TensorBoard was started without --logdir; the tab needs one."
            return proxy.error_page(text)(environ, start_response)
        try:
            address = self._board.address()
        except BoardError as error:
            return proxy.error_page(str(error))(environ, start_response)
        route = f"/data/plugin/{self.plugin_name}/board"
        path = environ.get("PATH_INFO", "").partition(route)[2]
        return proxy.forward(address, path or "/", environ, start_response)
