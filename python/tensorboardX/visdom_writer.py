"""Scalars, texts and pictures in a visdom server."""


class VisdomWriter:
    def __init__(self, *args, **kwargs):
        try:
            from visdom import Visdom
        except ImportError:
            raise ImportError("VisdomWriter needs visdom: pip install visdom") from None
        self.vis = Visdom(*args, **kwargs)
        self._points = {}

    def add_scalar(self, tag, scalar_value, global_step=None, main_tag="default"):
        points = self._points.setdefault(tag, [])
        points.append((len(points) if global_step is None else global_step, scalar_value))
        steps, values = zip(*points)
        self.vis.line(Y=list(values), X=list(steps), win=tag, opts={"title": tag})

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None):
        for key, value in tag_scalar_dict.items():
            self.add_scalar(f"{main_tag}/{key}", value, global_step)

    def add_text(self, tag, text_string, global_step=None):
        self.vis.text(text_string, win=tag, opts={"title": tag})

    def add_image(self, tag, img_tensor, global_step=None):
        from compression_board.tensors import make_np

        self.vis.image(make_np(img_tensor), win=tag, opts={"title": tag})

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow"):
        from compression_board.tensors import make_np

        self.vis.histogram(make_np(values).ravel(), win=tag, opts={"title": tag})

    def close(self):
        self._points.clear()
