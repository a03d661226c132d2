(body) @indent
(body "}" @outdent)
