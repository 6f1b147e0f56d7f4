// Not built: the architecture_alone_checker test expects the compiler to refuse it, twice over.
struct Defined {};
inline std::string text_of(Defined) { return ""; }
