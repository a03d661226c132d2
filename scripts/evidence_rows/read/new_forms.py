"""Forms of HLO text that are newer than jaxlib 0.10.2. PRINTED are typed texts, which jaxlib 0.12.0.1 prints in its own style;
WRITTEN are texts in that style with forms which it does not print itself."""

SUM = """add {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT r = f32[] add(p, q)
}
"""


def module(lines, header="", before=""):
    return f"HloModule m{header}\n{before}ENTRY e {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


X = "x = f32[4] parameter(0)"
PRINTED = {
    "total order of floats": module([X, "ROOT r = pred[4] compare(x, x), direction=LT, order=TOTAL"]),
    "stable top-k": module([X, "ROOT r = (f32[2], s32[2]) topk(x), k=2, largest=true, is_stable=true"]),
    "unstable top-k": module([X, "ROOT r = (f32[2], s32[2]) topk(x), k=2, largest=true, is_stable=false"]),
    "fixed root of a broadcast": module(
        [X, "ROOT r = f32[4] collective-broadcast(x), channel_id=1, replica_groups={{0,1}}, has_dynamic_root=false"],
        ", replica_count=2"),
    "collective-reduce": module(
        [X, "ROOT r = f32[4] collective-reduce(x), channel_id=1, replica_groups={{0,1}}, has_dynamic_root=false, to_apply=add"],
        ", replica_count=2", SUM),
    "collective-reduce to a computed root": module(
        [X, "i = s32[1] parameter(1)", "ROOT r = f32[4] collective-reduce(x, i), channel_id=1, replica_groups={{0,1}}, "
         "has_dynamic_root=true, to_apply=add"], ", replica_count=2", SUM),
    "single device": module(
        [X, 'ROOT r = f32[4] custom-call(x), custom_call_target="t", api_version=API_VERSION_TYPED_FFI, '
         "sharding={single_device[device_id=0]}"]),
    "single device of each element": module(
        [X, 'ROOT r = (f32[4], f32[4]) custom-call(x), custom_call_target="t", '
         "sharding={{single_device[device_id=0]}, {single_device[device_id=1]}}"], ", num_partitions=2"),
    "manual axes of a mesh": module(
        [X, "ROOT r = f32[4] copy(x), sharding={mesh['a'=2,'b'=2], [{?}], manual={'a'}}"], ", num_partitions=4"),
    "replicated over a mesh": module([X, "ROOT r = f32[4] copy(x), sharding={mesh['a'=2], replicated}"], ", num_partitions=2"),
    "unreduced over a mesh": module(
        [X, "ROOT r = f32[4] copy(x), sharding={mesh['a'=2,'b'=2], [{'a'}], unreduced={'b'}}"], ", num_partitions=4"),
    "groups of a mesh": module(
        [X, "ROOT r = f32[4] all-reduce(x), channel_id=1, replica_groups=mesh['a'=2,'b'=2] {'a'}, use_global_device_ids=true, "
         "to_apply=add"], ", num_partitions=4", SUM),
}


def written(result, line, parameter="f32[4]{0}", header=""):
    bare = parameter.split("{")[0]
    to = result.split("{")[0]
    return (f"HloModule m, entry_computation_layout={{({parameter})->{result}}}{header}\n\n"
            f"ENTRY %e (x: {bare}) -> {to} {{\n  %x = {parameter} parameter(0)\n  ROOT %r = {result} {line}\n}}\n\n")


WRITTEN = {
    "f6e2m3fn": written("f6e2m3fn[4]{0}", "convert(%x)"),
    "f6e3m2fn": written("f6e3m2fn[4]{0}", "convert(%x)"),
    "from f6e2m3fn": written("f32[4]{0}", "convert(%x)", "f6e2m3fn[4]{0}"),
    "unreduced without a mesh": written("f32[4]{0}", "copy(%x), sharding={unreduced}", header=", num_partitions=2"),
    "unreduced maximum": written("f32[4]{0}", "copy(%x), sharding={unreduced=max}", header=", num_partitions=2"),
    "element of a tuple": ("HloModule m, entry_computation_layout={((f32[4]{0}, s32[]))->f32[4]{0}}\n\n"
                           "ENTRY %e (x: (f32[4], s32[])) -> f32[4] {\n  %x = (f32[4]{0}, s32[]) parameter(0)\n"
                           "  ROOT %r = f32[4]{0} negate(%x#0)\n}\n\n"),
}
