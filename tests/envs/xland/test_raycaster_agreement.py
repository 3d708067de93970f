"""Pictures agree with the predicates, and rays end where the ground and the bodies are, found by other means."""

import numpy as np
import pytest
from numba import njit

from procgen_bench.envs.xland.raycaster import camera_at, draw_players
from procgen_bench.envs.xland.rays.faces import FACE_BITS, SKY, WALL_HEIGHT
from procgen_bench.envs.xland.rays.pictures import draw_picture, new_sheet
from procgen_bench.envs.xland.rays.scenery import scenery
from procgen_bench.tasks.xland.entities import COLOURS, CUBE, GOAL_SHAPES, PYRAMID, SPHERE
from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, Atom
from procgen_bench.tasks.xland.predicates.bodies import BODY, CAPSULE, place_bodies
from procgen_bench.tasks.xland.predicates.camera import CAMERA, VERTICAL_FIELD_OF_VIEW
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.geometry import closest_point, local_direction
from procgen_bench.tasks.xland.predicates.rays import meet_body
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.tiles import floor_height
from tests.envs.xland.ground_rays import ray_of, tiles_of
from tests.envs.xland.stages import begin, body_masks
from tests.tasks.xland.predicates.makers import random_rotations, random_world


@pytest.mark.parametrize("num_scenes", [80, pytest.param(1112, marks=pytest.mark.slow)])
def test_what_is_seen_is_drawn_and_the_other_way_round(num_scenes):
    """Of all that players of generated worlds see and do not see: a thing is seen if a pixel shows it."""
    rng = np.random.default_rng(0)
    agreed, seen = [], []
    for m in range(num_scenes):
        if m % 4 == 0:
            worlds = [generate_world(rng, *rng.integers(5, 14, 2), players=1)]
        states = begin(worlds)
        states.player_yaws[:], states.player_pitches[:] = rng.uniform(-np.pi, np.pi), rng.uniform(-0.5, 0.3)
        if m % 4:  # else as the world begins
            states.object_rotations[:] = random_rotations(rng, states.objects_present.shape)
            states.object_positions[..., 2] += rng.uniform(0.2, 1.5, states.objects_present.shape)
        pixels = body_masks(states, scenery(worlds))[:, 0].sum(axis=(1, 2))
        truths = evaluate_atoms(states)[0, 0]
        for k, (shape, colour) in enumerate(zip(worlds[0].object_shapes, worlds[0].object_colours)):
            if shape < len(GOAL_SHAPES):
                sees = truths[ATOM_INDEX[Atom("see", "me", f"{COLOURS[colour]} {GOAL_SHAPES[shape]}")]]
                seen.append(sees)
                agreed.append(sees == (pixels[k] > 0))
    assert len(agreed) == 9 * num_scenes
    assert 0.1 < np.mean(seen) < 0.5
    assert np.mean(agreed) >= 0.995


@pytest.mark.parametrize("num_worlds", [15, pytest.param(40, marks=pytest.mark.slow)])
def test_rays_end_at_the_ground(num_worlds):
    """Arbitrary tiles: every ray is followed in small steps, too, until it is below the surface or out of the world."""
    rng = np.random.default_rng(1)
    sides, hits = 0, 0
    for _ in range(num_worlds):
        world = random_world(rng, cast=[])
        scene, tiles = scenery([world]), tiles_of(world)
        extent = scene.extents[0]
        for _ in range(60):
            eye = rng.uniform((0, 0, 0), (extent[0], extent[1], extent[2] + 2))
            eye[2] = max(eye[2], height(world, eye) + 0.05)
            ray = rng.normal(size=3)
            ray /= np.linalg.norm(ray)
            time, facing, tile = ray_of(tiles, eye, ray)
            expected = marched(world, extent, eye, ray)
            if np.isinf(time):
                assert facing == SKY and expected is None
            else:
                assert expected is not None
                hits += 1
                normal = scene.normals[0, facing]
                assert ray @ normal < 0
                sides += facing > 8
                # A thin corner may be stepped over; then the ray is below the surface right behind the point.
                if abs(expected - time) > 0.002:
                    point = eye + (time + 1e-6) * ray
                    assert time < expected and point[2] < height(world, point) + 1e-9
            if facing not in (SKY, *range(13, 17)):
                column, row = ((eye + (time + 1e-7) * ray)[:2] / world.tile_size[:2]).astype(int)
                assert tile == (row + 1) * tiles.stride + column + 1
    assert hits > 37 * num_worlds and sides > 7 * num_worlds


@pytest.mark.parametrize("num_worlds", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_pixels_show_the_ground_that_their_rays_meet(num_worlds):
    """Arbitrary tiles from everywhere, above the walls, too: how far the ground is, and which way it faces."""
    rng = np.random.default_rng(7)
    shape, facings = (24, 32), set()
    for _ in range(num_worlds):
        world = random_world(rng, cast=[])
        scene, tiles, states = scenery([world]), tiles_of(world), begin([generate_world(rng, 5, 5, players=1)])
        for _ in range(4):
            eye = rng.uniform((-3, -3, 0), np.array([3, 3, 6]) + tiles.extent)
            eye[2] = max(eye[2], height(world, eye) + 0.05)
            camera = np.array([camera_at(tuple(eye), rng.uniform(-3, 3), rng.uniform(-1.4, 1.0))])
            picture, depths = np.empty((*shape, 3), np.uint8), np.empty(shape)
            slope = np.tan(VERTICAL_FIELD_OF_VIEW / 2)
            shown = draw(states, scene, np.zeros(0, BODY), -1, camera, slope, picture, depths)
            rays = pixel_rays(camera[0], shape, VERTICAL_FIELD_OF_VIEW)
            for place in np.ndindex(shape):
                time, facing, _ = ray_of(tiles, eye, rays[place])
                assert time == depths[place] or abs(time - depths[place]) < 1e-9 * max(time, 1.0)
                face = shown[place] >> FACE_BITS
                assert facing == (SKY if shown[place] == SKY else scene.facings[0, face])
                facings.add(facing)
    assert len(facings) > 15


def height(world, point) -> float:
    """Of the ground at a point, which may lie out of the world by rounding."""
    columns, rows = world.shape[::-1]
    x, y = np.clip(point[:2] / world.tile_size[:2], 0, (columns, rows))
    return floor_height(world.kinds, world.levels, x, y) * world.tile_size[2]


def marched(world, extent, eye, ray) -> float | None:
    """When a ray has come below the surface or to a wall, in steps of a millimetre; None for the sky."""
    tiles = np.array(world.kinds), np.array(world.levels)
    time = march(*tiles, world.tile_size, extent, eye, ray)
    return None if time < 0 else time


@njit
def march(kinds, levels, size, extent, eye, ray):
    time = 0.0
    while True:
        time += 0.001
        x, y, z = eye[0] + time * ray[0], eye[1] + time * ray[1], eye[2] + time * ray[2]
        if not (0.0 <= x <= extent[0] and 0.0 <= y <= extent[1]):
            return time if z < extent[2] + WALL_HEIGHT else -1.0
        if z < floor_height(kinds, levels, x / size[0], y / size[1]) * size[2]:
            return time


@pytest.mark.parametrize("num_rays", [200, pytest.param(600, marks=pytest.mark.slow)])
def test_rays_end_at_bodies_surfaces(num_rays):
    """Every shape: the first point is on the surface as ``near`` knows it, nothing comes before it, and normals are
    those of the surface."""
    rng = np.random.default_rng(2)
    bodies = np.zeros(1, BODY)
    for shape in range(CAPSULE + 1):
        hits = 0
        for _ in range(num_rays):
            body = bodies[0]
            body["shape"], body["size"] = shape, rng.uniform(0.3, 2.0) if shape != CAPSULE else 0.0
            body["centre"] = rng.normal(size=3)
            body["frame"] = np.eye(3) if shape == CAPSULE else np.linalg.qr(rng.normal(size=(3, 3)))[0]
            eye = body["centre"] + 3.0 * rng.normal(size=3)
            target = body["centre"] + 0.4 * max(body["size"], 1.0) * rng.normal(size=3)
            ray = (target - eye) / np.linalg.norm(target - eye)
            time, normal = meeting(bodies, eye, ray)
            length = 12.0 if np.isinf(time) else time - 1e-6
            within = inside(bodies, eye + np.linspace(0, length, 400)[:, np.newaxis] * ray)
            assert within[0] or not within.any()
            if np.isfinite(time):
                hits += 1
                point = eye + time * ray
                assert np.linalg.norm(np.array(closest_point_of(bodies, point)) - point) < 1e-7
                assert abs(np.linalg.norm(normal) - 1) < 1e-9 and normal @ ray < 1e-9
                outside = point + 1e-3 * normal
                back = np.array(closest_point_of(bodies, outside))
                assert np.linalg.norm(back - point) < 1e-5 and not inside(bodies, outside[np.newaxis])[0]
        assert hits > num_rays / 6


@njit(error_model="numpy")
def _meeting(body, eye, ray):
    scale = 1.0 if body.shape == CAPSULE else 1.0 / body.size
    x, y, z = local_direction(body.frame, eye[0] - body.centre[0], eye[1] - body.centre[1], eye[2] - body.centre[2])
    dx, dy, dz = local_direction(body.frame, ray[0], ray[1], ray[2])
    return meet_body(body.shape, scale * x, scale * y, scale * z, scale * dx, scale * dy, scale * dz)


def meeting(bodies, eye, ray):
    time, *normal = compiled_meeting(bodies, eye, ray)
    return time, bodies[0]["frame"] @ np.array(normal)


@njit(error_model="numpy")
def compiled_meeting(bodies, eye, ray):
    return _meeting(bodies[0], eye, ray)


@njit
def closest_point_of(bodies, point):
    return closest_point(bodies[0], point[0], point[1], point[2])


def inside(bodies, points) -> np.ndarray:
    """Which points (n, 3) lie in a body, by the shapes' definitions: bool (n,)."""
    body = bodies[0]
    size, shape = body["size"], body["shape"]
    places = (points - body["centre"]) @ body["frame"]
    x, y, z = places.T
    if shape == CAPSULE:
        return np.hypot(np.hypot(x, y), z - np.clip(z, -0.525, 0.525)) < 0.3
    if shape == SPHERE:
        return np.linalg.norm(places, axis=1) < size / 2
    if shape == PYRAMID:
        return (-size / 4 < z) & (2 * np.maximum(abs(x), abs(y)) < 0.75 * size - z)
    edges = np.array((1.0, 1.0, 1.0) if shape == CUBE else (1.0, 0.5, 0.125)) * size
    return (abs(places) < edges / 2).all(axis=1)


@pytest.mark.parametrize("num_pictures", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_bodies_are_found_within_their_pixels(num_pictures):
    """Pictures in which every pixel is tested against every body are the same: no body is cut off by its rectangle."""
    rng = np.random.default_rng(5)
    shape, angle = (24, 32), VERTICAL_FIELD_OF_VIEW
    for m in range(num_pictures):
        world = generate_world(rng, 6, 6, players=2)
        states = begin([world])
        states.object_rotations[:] = random_rotations(rng, states.objects_present.shape)
        eye = states.player_positions[0, 0] + (0, 0, 0.675)
        states.object_positions[0, :6] = eye + rng.normal(size=(6, 3)) * (0.4 if m % 2 else 1.5)
        states.player_yaws[:], states.player_pitches[:] = rng.uniform(-3, 3), rng.uniform(-1.2, 1.2)
        scene, tiles = scenery([world]), tiles_of(world)
        picture = np.empty((1, 2, *shape, 3), np.uint8)
        draw_players(states, scene, picture)
        depths, bodies = np.empty(shape), placed_bodies(states)
        camera = np.array([camera_at(tuple(eye), states.player_yaws[0, 0], states.player_pitches[0, 0])])
        drawn = np.empty((*shape, 3), np.uint8)
        own = len(bodies) - 2
        draw(states, scene, bodies, own, camera, np.tan(angle / 2), drawn, depths)
        rays = pixel_rays(camera[0], shape, angle)
        for row in range(shape[0]):
            for column in range(shape[1]):
                ray = rays[row, column]
                nearest = ray_of(tiles, eye, ray)[0]
                for k in range(len(bodies)):
                    if k != own and bodies[k]["shape"] >= 0:
                        nearest = min(nearest, compiled_meeting(bodies[k : k + 1], eye, ray)[0])
                assert nearest == depths[row, column] or abs(nearest - depths[row, column]) < 1e-9


def placed_bodies(states) -> np.ndarray:
    bodies, cameras = np.zeros(states.contacts.shape[1], BODY), np.zeros(states.num_players, CAMERA)
    place(bodies, cameras, states.scenes, states.arrays)
    return bodies


@njit
def place(bodies, cameras, scenes, arrays):
    place_bodies(bodies, cameras, scenes, arrays, 0)


@njit(error_model="numpy")
def _draw(scenes, number, scenery, bodies, own, tints, cameras, slope, picture, depths):
    hands, held = np.empty(0, CAMERA), np.zeros((0, len(bodies)), np.bool_)
    sheet = new_sheet(depths.shape, scenery, len(bodies))
    draw_picture(scenes, number, scenery, bodies, own, hands, held, tints, cameras[0], slope, picture, depths, sheet)
    return sheet.shown


def draw(states, scene, bodies, own, cameras, slope, picture, depths) -> np.ndarray:
    """The faces of the ground behind the pixels; the picture and its depths are written."""
    tints = np.zeros((len(bodies), 4), np.uint8)
    # For a scene whose number is a constant of the kernel, drawing would be compiled once more.
    return _draw(states.scenes, 0, scene, bodies, own, tints, cameras, slope, picture, depths)


def pixel_rays(camera, shape, angle) -> np.ndarray:
    rows, columns = shape
    pixel = 2 * np.tan(angle / 2) / rows
    right, up = (np.arange(columns) + 0.5 - columns / 2) * pixel, (rows / 2 - 0.5 - np.arange(rows)) * pixel
    return camera["forward"] + right[:, np.newaxis] * camera["right"] + up[:, np.newaxis, np.newaxis] * camera["up"]
