// Not built: the architecture_names_checker test expects clang-tidy to refuse both names.
struct badly_named {};
badly_named BadlyNamed() { return {}; }
