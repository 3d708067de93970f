"""stable-baselines3's checker over every registered environment."""

import pytest
import stable_baselines3.common.env_checker

from tests.envs.conformance.makers import MAKERS

#: Draws worlds for seconds; one of its other makers gives it a ready observation of the same kind.
LONG = "XLand-v0"


# It warns of every observation that its own networks would have to flatten,
# and takes every one with three dimensions for a picture.
@pytest.mark.filterwarnings("ignore:We recommend you to use a symmetric and normalized Box action space")
@pytest.mark.filterwarnings("ignore:Your observation .* has an unconventional shape")
@pytest.mark.filterwarnings("ignore:It seems that your observation .* is an image")
@pytest.mark.filterwarnings("ignore:It seems that your observation space .* is an image")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image is 36x36")
@pytest.mark.parametrize(
    "maker",
    [
        pytest.param(*made.values, id=made.id, marks=pytest.mark.slow if made.id == LONG else made.marks)
        for made in MAKERS
    ],
)
def test_stable_baselines3_check_env(maker):
    stable_baselines3.common.env_checker.check_env(maker(render_mode="rgb_array").unwrapped, skip_render_check=False)
