"""Pictures as pages take them."""

import base64
import io
from typing import Any

import numpy as np


def picture_address(frame: np.ndarray, form: str, **options: Any) -> str:
    """The address ``data:...`` of a picture.

    Args:
        frame: The picture: uint8 (height, width, 3).
        form: How it is written: ``"PNG"`` or ``"JPEG"``.
        options: What Pillow is to know of this form.
    """
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(np.asarray(frame)).save(content, format=form, **options)
    return f"data:image/{form.lower()};base64,{base64.b64encode(content.getvalue()).decode()}"
