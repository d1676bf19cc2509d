#include "tools/text/bounded_json.hpp"

namespace keyswap::tools {

namespace {

/// Whether brackets outside of texts nest deeper than allowed; stops where they do.
bool nests_too_deep(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const letter = text[i];
        if (quoted && letter == '\\') {
            i += 1; // what follows does not end the text
        } else if (letter == '"') {
            quoted = !quoted;
        } else if (!quoted && (letter == '[' || letter == '{')) {
            depth += 1;
            if (depth > json_depth_max) {
                return true;
            }
        } else if (!quoted && (letter == ']' || letter == '}')) {
            depth -= 1;
        }
    }
    return false;
}

} // namespace

Expected<nlohmann::json> parse_bounded_json(std::string_view text, std::string const& name) {
    if (nests_too_deep(text)) {
        return tl::unexpected(
            InputError{name,
                       "nests values more than " + std::to_string(json_depth_max) + " deep",
                       "check that the program that wrote it is right"});
    }
    auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) {
        return tl::unexpected(
            InputError{name, "is not JSON", "check that it is complete and no other format"});
    }
    return json;
}

} // namespace keyswap::tools
