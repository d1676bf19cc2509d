#include "tools/text/bounded_json.hpp"

#include "traces/errors/input_limits.hpp"
#include "traces/errors/try.hpp"

#include <cstdint>

namespace keyswap::tools {

namespace {

/// True if brackets outside strings nest deeper than allowed; stops at the first excess.
bool nests_too_deep(std::string_view text) {
    std::uint64_t const depth_max = limit_of(Limit::depth);
    std::uint64_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const letter = text[i];
        if (quoted && letter == '\\') {
            i += 1; // skip the escaped character
        } else if (letter == '"') {
            quoted = !quoted;
        } else if (!quoted && (letter == '[' || letter == '{')) {
            depth += 1;
            if (depth > depth_max) {
                return true;
            }
        } else if (!quoted && (letter == ']' || letter == '}')) {
            depth -= depth > 0 ? 1 : 0;
        }
    }
    return false;
}

} // namespace

Expected<nlohmann::json> parse_bounded_json(std::string_view text, std::string const& name) {
    if (nests_too_deep(text)) {
        return tl::unexpected(beyond_limit(Limit::depth,
                                           name,
                                           "nests values more than " +
                                               std::to_string(limit_of(Limit::depth)) + " deep"));
    }
    auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) {
        return input_error(
            name, "is not JSON", "check that the file is complete and that it is JSON");
    }
    return json;
}

} // namespace keyswap::tools
