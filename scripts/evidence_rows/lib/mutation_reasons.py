"""Reasons why our verifier and XLA's disagree on a class of mutants, and which one is right. Reviewed by hand.

`side` is the verifier that rejects. `said` matches our first code or XLA's message (see verify_mutations.xla_says),
`mutation` the class, attribute and opcode, `line` the changed line, `message` the whole message of the rejecting
verifier."""

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
    dict(side=WE, said="^alias-(twice|parameter)$", mutation="^alias", line="input_output_alias=", right="we",
         why="XLA's reader keeps input_output_alias in a map by output: of two entries for one output the first is lost silently"),
    dict(side=WE, said="^donor-aliased$", right="we",
         why="XLA's verifier rejects a donor that is also aliased, but StableHLO, through which aliases are checked, keeps one of both"),
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
    dict(side=WE, said="^dynamic-root$", right="we",
         why="XLA's verifier does not ask for the roots that a collective with a dynamic root takes as its last operand"),
    dict(side=WE, said="^alias-parameter$", line="buffer_donor", right="we",
         why="StableHLO, through which aliases are checked, keeps donors as attributes of arguments: one that names no argument "
             "is dropped, where XLA's verifier rejects it"),
    dict(side=WE, said="^layout-(rank-mismatch|order)$", line="operand_layout_constraints=", right="we",
         why="XLA does not validate the layouts inside operand_layout_constraints"),
    dict(side=WE, said="^channel-id$", right="we",
         why="XLA reads a written channel_id of 0 as none; written, it asks for a channel that cannot be"),
    dict(side=WE, said="^alias-shape$", mutation="^alias", right="we",
         why="must-alias of shapes that differ: StableHLO, through which aliases are checked, keeps no difference of layout"),
    dict(side=THEY, said="in both a parallel", mutation="custom-call", right="XLA",
         why="XLA counts called_computations of a custom call as applied to elements, so none of them may be called as well; "
             "we do not"),
    dict(side=WE, said="^call-context$", right="XLA",
         why="the mutation left the computation's other caller unreached: XLA drops it and sees one context, we still count it"),
    dict(side=THEY, said="read: (unsupported primitive type|expect floating-point value)", mutation="literal|element type",
         right="XLA", why="our reader takes a plain number or truth value for a complex one"),
    dict(side=THEY, said="error parsing attribute (exit|entry|doma)", mutation="domain", right="XLA",
         why="our reader keeps domain= verbatim without checking the shardings inside"),
    dict(side=THEY, said="MeshAxesReplicaGroupList", right="XLA",
         why="a mesh axis of size 0: our expansion of the groups gives up and the rule is passed over"),
]
