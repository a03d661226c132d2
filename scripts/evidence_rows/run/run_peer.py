"""Times the programs of oracle/perf.py, compiled by halo and by jaxlib, in one run. For each program jaxlib runs first,
then `halo run` on the same module before optimisation with the same inputs; once with both threads, once pinned to
one core. Both are timed equally often and the best counts. Results are also compared, by `halo run --compare` with the
tolerance of eval-cpu-corpus."""
import json
import math
import os
import pathlib
import subprocess
import tempfile

from common import SHARED, enough, jax_python, need_halo, need_shared
from replay import problem_of

ORDER = 54
QUICK_SECONDS = 15
SPEED = True
WHAT = "the programs of oracle/perf.py against jaxlib in the same run, 1 and 2 threads"
BAR = "by geometric mean at least 2 times as fast, none below 0.9"
LEAST = {"programs": 23, "measurements": 46}
QUICK_LEAST = {"programs": 2, "measurements": 2}
QUICK_BAR = "results agree; by geometric mean as fast at least"
QUICK = ("softmax", "sort 1e6")

# Serves one request per line: "N" writes program N's files, times it and prints one JSON line.
PEER = """
import os, sys, json, time
sys.path.insert(0, sys.argv[1])
text = open(os.path.join(sys.argv[1], 'perf.py')).read().split('sel=os.environ')[0]
__file__ = os.path.join(sys.argv[1], 'perf.py')
exec(text)
import ml_dtypes
names = list(P)
print(json.dumps(names), flush=True)
folder, writes = sys.argv[2], sys.argv[3] == 'write'
view = lambda a: a.view(np.uint16) if a.dtype == ml_dtypes.bfloat16 else a
for line in sys.stdin:
    name = names[int(line)]
    function, arguments, _ = P[name]
    flat, _ = jax.tree.flatten(arguments)
    arrays = jax.tree.map(jnp.asarray, arguments)
    lowered = jax.jit(function, keep_unused=True).lower(*arrays)
    start = time.perf_counter()
    compiled = lowered.compile()
    compile_seconds = time.perf_counter() - start
    out = jax.block_until_ready(compiled(*arrays))
    times, repeat = [], 5
    while len(times) < repeat:
        start = time.perf_counter()
        jax.block_until_ready(compiled(*arrays))
        times.append(time.perf_counter() - start)
        if len(times) == 1:  # as many as take two seconds
            repeat = max(5, min(50, int(2 / max(times[0], 1e-3))))
    if writes:
        open(folder + '/module.txt', 'w').write(lowered.compiler_ir('hlo').as_hlo_text())
        np.savez(folder + '/in.npz', **{'in_%d' % i: view(np.asarray(a)) for i, a in enumerate(flat)})
        np.savez(folder + '/out.npz', **{'out_%d' % i: view(np.asarray(a)) for i, a in enumerate(jax.tree.leaves(out))})
    print(json.dumps({'seconds': min(times), 'runs': len(times), 'compile': compile_seconds}), flush=True)
    del arrays, compiled, out
"""


class Peer:
    """jaxlib in a separate process, on one core or on all."""

    def __init__(self, folder, threads, writes):
        command = [jax_python(), "-c", PEER, str(SHARED / "oracle"), str(folder), "write" if writes else "read"]
        if threads == 1:
            command = ["taskset", "-c", "0", *command]
        environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment)
        self.names = json.loads(self.process.stdout.readline())

    def time(self, number):
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ours(folder, threads, repeat):
    command = [str(need_halo()), "run", f"{folder}/module.txt", "--inputs", f"{folder}/in.npz", "--compare",
               f"{folder}/out.npz", "--json", "--repeat", str(repeat), "--threads", str(threads), "--cache", "none"]
    run = subprocess.run((["taskset", "-c", "0"] if threads == 1 else []) + command, capture_output=True, check=False)
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stdout.decode()[-1500:] + run.stderr.decode()[-1500:])
    answer = json.loads(run.stdout)
    problem = problem_of(answer, f"{folder}/out.npz")
    if problem or len(answer["run_seconds"]) != repeat:
        raise RuntimeError(problem or f"{len(answer['run_seconds'])} runs of {repeat} were timed")
    return answer


def close_to_evaluator(folder, threads):
    """Whether our results agree with the evaluator, which sums in double. Used where ours and jaxlib's differ."""
    run = [str(need_halo()), "run", f"{folder}/module.txt", "--inputs", f"{folder}/in.npz"]
    subprocess.run([*run, "--engine", "reference", "-o", f"{folder}/exact.npz"], capture_output=True, check=True)
    done = subprocess.run([*run, "--threads", str(threads), "--compare", f"{folder}/exact.npz", "--json"], capture_output=True, check=False)
    return json.loads(done.stdout)["comparison"]["agrees"]


def measure(quick):
    need_halo()
    need_shared("oracle/perf.py")
    ratios, compile_ratios, wrong = {}, [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        peers = {2: Peer(folder, 2, True)}
        if not quick:
            peers[1] = Peer(folder, 1, False)
        for number, program in enumerate(peers[2].names):
            if quick and not program.startswith(QUICK):
                continue
            for threads, peer in peers.items():
                theirs = peer.time(number)
                answer = ours(folder, threads, theirs["runs"])
                seconds = min(answer["run_seconds"])
                ratios[program, threads] = theirs["seconds"] / seconds
                agrees = answer["comparison"]["agrees"] or close_to_evaluator(folder, threads)
                if not agrees:
                    wrong.append(program)
                took = answer["prepare_seconds"] + answer["compile_seconds"]
                if threads == 2:
                    compile_ratios.append(theirs["compile"] / took)
                print(f"{program:46} {threads} threads: {1e3 * seconds:9.3f} ms, jaxlib {1e3 * theirs['seconds']:9.3f}, "
                      f"{ratios[program, threads]:6.2f} times as fast; compiled in {1e3 * took:.0f} ms, jaxlib "
                      f"{1e3 * theirs['compile']:.0f}{'' if agrees else '; RESULTS DIFFER'}"
                      f"{'; ' + str(answer['reference_steps']) + ' steps evaluated' if answer['reference_steps'] else ''}",
                      flush=True)
        for peer in peers.values():
            peer.close()
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    slowest = min(ratios, key=ratios.get)
    compiling = math.exp(sum(map(math.log, compile_ratios)) / len(compile_ratios))
    print(f"compile time: jaxlib's is {compiling:.1f} times ours by geometric mean")
    if wrong:
        print("results differ: " + ", ".join(sorted(set(wrong))))
    fast = mean >= 1 if quick else mean >= 2 and ratios[slowest] >= 0.9
    counts = {"programs": len({program for program, _ in ratios}), "measurements": len(ratios)}
    return fast and not wrong and enough(QUICK_LEAST if quick else LEAST, counts), (
        f"{mean:.2f} times as fast by geometric mean, the slowest {ratios[slowest]:.2f} ({slowest[0]}, {slowest[1]} threads)")
