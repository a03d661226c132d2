"""Programs of libraries of physics and biology: molecules (jax-md), rigid bodies (mjx), neurons (jaxley, vbjax), quantum systems
(dynamiqs), the sphere (s2fft)."""
import jax
import jax.numpy as jnp
import numpy as np
from unseen_programs.draw import Program

from .arrays import key, matrix, vector

PENDULUM = """<mujoco><option timestep="0.01"/><worldbody><body pos="0 0 1"><joint type="hinge" axis="0 1 0" damping="0.1"/>
<geom type="capsule" size="0.05 0.2"/><body pos="0 0 -0.4"><joint type="hinge" axis="0 1 0"/><geom type="sphere" size="0.1"/></body>
</body></worldbody></mujoco>"""


def lennard_jones():
    from jax_md import energy, simulate, space

    def function(bits, positions):
        displacement, shift = space.periodic(4.0)
        init, step = simulate.nvt_langevin(energy.soft_sphere_pair(displacement), shift, 1e-2, 0.3)
        state = init(jax.random.wrap_key_data(bits), positions)
        return jax.lax.fori_loop(0, 3, lambda _, s: step(s), state).position
    return Program(function, [key(), (2 + matrix(8, 2)).astype(np.float32)])


def minimized_energy():
    from jax_md import energy, minimize, space

    def function(positions):
        displacement, shift = space.free()
        init, step = minimize.fire_descent(energy.lennard_jones_pair(displacement), shift)
        return step(step(init(positions))).position
    return Program(function, [matrix(6, 3, 2.0)])


def double_pendulum():
    import mujoco
    from mujoco import mjx
    model = mjx.put_model(mujoco.MjModel.from_xml_string(PENDULUM))

    def function(q, v):
        data = mjx.make_data(model).replace(qpos=q, qvel=v)
        data = mjx.step(model, data)
        return data.qpos, data.qvel
    return Program(function, [vector(2), vector(2, seed=4)])


def cable_equation():
    import jaxley
    from jaxley.channels import HH
    cell = jaxley.Cell([jaxley.Branch(jaxley.Compartment(), ncomp=2)] * 3, parents=[-1, 0, 0])
    cell.insert(HH())
    cell.branch(0).comp(0).record(verbose=False)

    def function(current):
        stimuli = cell.branch(0).comp(0).data_stimulate(current)
        return jaxley.integrate(cell, data_stimuli=stimuli, delta_t=0.025)
    return Program(function, [np.full(6, 0.1, np.float32)])


def neural_masses():
    import vbjax

    def function(x, z):
        def network(x, parameters):
            return vbjax.mpr_dfun(x, (x[0].sum() * 0.01, 0.0), parameters)
        _, loop = vbjax.make_sde(0.01, network, 0.1)
        return loop(x, z, vbjax.mpr_default_theta)
    return Program(function, [matrix(2, 4, 0.1), np.random.default_rng(3).standard_normal((5, 2, 4)).astype(np.float32)])


def master_equation():
    import dynamiqs as dq

    def function(strength):
        a = dq.destroy(3)
        options = dict(method=dq.method.Tsit5(rtol=1e-3, atol=1e-3), progress_meter=False)
        result = dq.mesolve(strength * (a + a.dag()), [0.3 * a], dq.fock(3, 0), jnp.linspace(0, 0.2, 3), exp_ops=[a.dag() @ a], **options)
        return result.expects, result.states.to_jax()
    return Program(function, [np.float32(0.8)])


def schroedinger_equation():
    import dynamiqs as dq

    def function(strength):
        result = dq.sesolve(strength * dq.sigmax(), dq.fock(2, 0), jnp.linspace(0, 1.0, 3), method=dq.method.Expm(),
                            progress_meter=False)
        return result.states.to_jax()
    return Program(function, [np.float32(0.8)])


def spherical_harmonics():
    import s2fft

    def function(f):
        return s2fft.forward_jax(f, L=4, sampling="mw", reality=True)
    return Program(function, [np.random.default_rng(3).standard_normal((4, 7))], x64=True)


LIBRARIES = {"jax_md": (lennard_jones, minimized_energy), "mjx": (double_pendulum,), "jaxley": (cable_equation,),
             "vbjax": (neural_masses,), "dynamiqs": (master_equation, schroedinger_equation),
             "s2fft": (spherical_harmonics,)}
