"""Small networks in compiled code: forward, backward and Adam without a graph of operations.

Networks of some 50,000 parameters spend most of their time beside the arithmetic: torch starts many operations for a
layer and its gradient, each of which reads and writes the whole batch. Here a network is a table of layers
(:class:`.LayerTable`), through which one compiled loop goes, a few samples at a time, so that their numbers stay in the
processor's cache. A torch module remains: its parameters become views on the compiled network's, so what is saved,
exported and evaluated is the module.

======================================  ============================================================================
``actor_critic.CompiledActorCritic``    ``ppo``, ``recurrent-ppo`` and ``a2c``: acting, and updates down PPO's loss.
``q_values.CompiledValues``             ``dqn``: values, and gradient steps of Q-learning.
``trained_network.TrainedNetwork``      APT-Gen's generator, discriminator and value networks.
======================================  ============================================================================

Learners reach it through :mod:`.fast_twins`, where its ``is_compilable`` holds; torch computes the same elsewhere: on
a GPU, with pictures, large maps, words, masks or normalised reals, and for actors of real actions. With memory, only
episodes that are learned from are computed with, see :mod:`.packed_rows`. Networks that read sets are written into a
:class:`.SetTable`, as ``papers.open_ended.compiled_scene`` does. A module of your own takes part by
:meth:`.CompilableModule.compile_into`, which writes its layers into a table. Tests hold gradients against autograd's
and steps against torch's optimisers; figures are in ``docs/speed.md``.

Products of matrices are left to BLAS, in one thread. Where torch has several, :class:`.CompiledActorCritic` cuts every
minibatch into as many parts, which pass side by side and whose gradients are added in their order: results are the same
bit for bit with the same number of threads, on one machine and one version.
"""
