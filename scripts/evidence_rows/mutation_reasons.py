"""Why our verifier and XLA's disagree on a class of mutants, and who is right: reviewed by hand.

`side` says who rejects, `said` matches our first code or XLA's message (see verify_mutations.xla_says), `mutation` the
class, attribute and opcode, `line` the changed line, `message` the whole message of the one that rejects."""

WE, THEY = "only we reject", "only XLA rejects"

REASONS = [
    dict(side=WE, said="^(shape-mismatch|infeed-shape|token-operand)$",
         mutation="send|recv|outfeed|infeed|after-all|add-dependency|parameter$", right="we",
         why="the declared shape of after-all, add-dependency, infeed, outfeed, send, recv and their dones is dropped by XLA's "
             "reader, which builds them with the shape it derives; printed text that says otherwise is wrong"),
    dict(side=WE, said="^one-dimension$", right="we",
         why="XLA's reader takes the first of several dimensions where the op has one, and drops the others"),
    dict(side=WE, said="^dimension-range$", mutation="sort", right="we",
         why="XLA's verifier does not look at sort's dimension; a negative one reaches the backend"),
    dict(side=WE, said="^bitcast-size$", right="we",
         why="XLA compares a bitcast's sizes only when it verifies with layouts, which its CPU and GPU pipelines do and the "
             "swapped module's verifier does not"),
    dict(side=WE, said="^alias-twice$", right="we",
         why="XLA's reader keeps input_output_alias in a map by output: of two entries for one output the first is lost silently"),
    dict(side=WE, said="^donor-aliased$", right="we",
         why="XLA's verifier rejects a donor that is also aliased, but StableHLO, through which aliases are judged, keeps one of both"),
    dict(side=WE, said="^alias-(size|output|array|shape|parameter)$", mutation="^(?!alias)", right="we",
         why="the swap inside XLA drops input_output_alias, so a new root or shape that no longer fits it goes unseen"),
    dict(side=WE, said="^wrong-operand-count$", mutation="operand twice.* (dot|rng-bit-generator|domain|topk)", right="we",
         why="XLA's reader ignores further operands of dot, rng-bit-generator and a few others"),
    dict(side=WE, said="^fusion-shared$", right="we",
         why="XLA notices that a fusion's computation has another caller only where that caller is examined itself"),
    dict(side=WE, said="^(unexpected-text|bad-literal|literal-out-of-range|literal-wrong-count)$", mutation="literal",
         right="we", why="XLA's reader takes numbers for pred and passes other literals that do not fit their type"),
    dict(side=WE, said="^dimension-twice$", mutation="broadcast", right="we",
         why="XLA's verifier compares sizes of a broadcast's dimensions but not that each is named once"),
    dict(side=THEY, said="unexpected attribute .is_stable.", mutation="topk", right="both",
         why="topk took is_stable after jaxlib 0.10.2 was built; libtpu's newer dumps have it"),
    dict(side=THEY, said="expects N operands", mutation="convolution", right="both",
         why="convolutions took further operands (sparse arguments) after jaxlib 0.10.2 was built"),
]
