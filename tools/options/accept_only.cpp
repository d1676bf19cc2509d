#include "tools/options/accept_only.hpp"

#include "traces/errors/known_names.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace keyswap::tools {

void accept_only(CLI::Option& option, std::vector<std::string> values) {
    KnownNames known(values);
    std::string const shown = "{" + known.list() + "}";
    option.check(CLI::Validator(
        [values = std::move(values), known = std::move(known)](std::string const& text) {
            return std::ranges::count(values, text) > 0
                       ? std::string()
                       : "'" + text + "' is not known (" + known.remedy(text) + ")";
        },
        shown));
}

} // namespace keyswap::tools
