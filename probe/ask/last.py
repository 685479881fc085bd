# The end of every query.
if len(answer) > 1:
    for section in ("tensorflow", "torch", "jax"):
        if section in sys.modules and section in answer:
            note(section, "mapped_libraries", mapped_libraries)
end()
