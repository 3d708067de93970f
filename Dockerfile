# docker build -t procgen-bench .
# docker run --rm --read-only --tmpfs /tmp --tmpfs /home/agent:uid=1000 procgen-bench doctor
#
# Chromium builds a sandbox of its own, for which Docker's seccomp profile is too narrow: GMiniWoB-v0 with backend="browser" takes
# --security-opt seccomp=unconfined.
#
# --build-arg TORCH_INDEX=... names the index of PyTorch's CPU builds; without it PyTorch brings CUDA, 6.6 GB.
FROM python:3.11-slim-bookworm

# The browser of GMiniWoB-v0, and what MuJoCo draws with where there is no screen.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium-headless-shell libegl1 libopengl0 libgl1-mesa-dri \
    && rm -rf /var/lib/apt/lists/*
ENV MUJOCO_GL=egl

# Versions and torch come before the source, so that a change of code downloads nothing again.
ARG TORCH_INDEX
COPY constraints.txt /src/
RUN pip install --no-cache-dir ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} "$(grep '^torch==' /src/constraints.txt)"

ARG EXTRAS=baselines,fetch,film,minigrid,mujoco,multiagent,pybullet,rerun,site,solvers,web
COPY . /src
RUN pip install --no-cache-dir --constraint /src/constraints.txt "/src[$EXTRAS]" \
    && rm -rf /src

# Kept next to the installed files, where users, who cannot write there, read it.
RUN procgen-bench compile

RUN useradd --create-home --uid 1000 agent
USER agent
WORKDIR /home/agent
ENTRYPOINT ["procgen-bench"]
CMD ["doctor"]
