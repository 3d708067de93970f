"""MuJoCo's renderer without a screen: contexts that are closed in time, and one clear error where there are none."""

import atexit
import os
import threading
import weakref
from typing import Any

import mujoco
import numpy as np

from procgen_bench.core.errors import NoRendererError


class OffscreenRenderer:
    """Draws scenes of one model into arrays.

    It belongs to the thread that made it, does not survive a fork, and is closed at the latest when the program ends.

    Args:
        model: Its meshes and textures can be drawn.

    Raises:
        NoRendererError: The machine has no OpenGL that MuJoCo could use.
    """

    def __init__(self, model: mujoco.MjModel):
        offscreen = model.vis.global_
        try:
            self._window = _context_type()(offscreen.offwidth, offscreen.offheight)
            self._window.make_current()
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        # PyOpenGL answers a missing library with errors of many kinds (AttributeError, ImportError, GLError, ...).
        except Exception as error:
            raise NoRendererError(error) from error
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._owner: tuple[int, int] | None = _thread()
        _renderers.add(self)
        # What is registered last runs first: before EGL's own.
        atexit.unregister(_close_renderers)
        atexit.register(_close_renderers)

    def draw(self, scene: mujoco.MjvScene, picture: np.ndarray | None = None, depths: np.ndarray | None = None) -> None:
        """Draw a scene.

        Args:
            scene: The scene.
            picture: uint8 (rows, columns, 3), written, the uppermost row first.
            depths: float32 (rows, columns), written in the same order: from the near plane (0) to the far one (1), as
                OpenGL has them.
        """
        wanted = [array for array in (picture, depths) if array is not None]
        rows, columns = wanted[0].shape[:2]
        self._window.make_current()
        if rows > self._context.offHeight or columns > self._context.offWidth:
            mujoco.mjr_resizeOffscreen(columns, rows, self._context)
        view = mujoco.MjrRect(0, 0, columns, rows)
        mujoco.mjr_render(view, scene, self._context)
        # OpenGL's lowest row comes first.
        drawn = [None if array is None else np.empty_like(array, order="C") for array in (picture, depths)]
        mujoco.mjr_readPixels(*drawn, view, self._context)
        for array, upside_down in zip((picture, depths), drawn):
            if array is not None and upside_down is not None:
                array[:] = upside_down[::-1]

    def close(self) -> None:
        """Free the context, while there still is an OpenGL to free it from; again without effect."""
        if self._owner == _thread():
            self._window.make_current()
            self._context.free()
            self._window.free()
            self._owner = None


#: Those that may be open.
_renderers: weakref.WeakSet[OffscreenRenderer] = weakref.WeakSet()


def _close_renderers() -> None:
    for renderer in list(_renderers):
        renderer.close()


def _thread() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def _context_type() -> Any:
    """The OpenGL context that ``MUJOCO_GL`` asks for; without it a screen's where there is one, and EGL's elsewhere."""
    if (
        not os.environ.get("MUJOCO_GL")
        and not os.environ.keys() & {"DISPLAY", "WAYLAND_DISPLAY"}
        and os.name == "posix"
    ):
        from mujoco.egl import GLContext

        return GLContext
    return mujoco.GLContext
