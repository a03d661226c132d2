; Raw backend configs are JSON.
((attribute
  key: (key) @_key
  value: (braces) @injection.content)
 (#eq? @_key "backend_config")
 (#set! injection.language "json"))
