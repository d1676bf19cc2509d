#include "tools/options/distribution_option.hpp"

#include "traces/errors/try.hpp"

#include <charconv>

namespace keyswap::tools {

Expected<NamedDistribution> parse_distribution(std::string_view text, std::string_view option) {
    std::size_t const sign = text.find_first_of("=:");
    NamedDistribution named{std::string(text.substr(0, sign)), std::nullopt};
    if (sign == std::string_view::npos) {
        return named;
    }
    char const* const end = text.data() + text.size();
    double parameter = 0.0;
    auto const [rest, code] = std::from_chars(text.data() + sign + 1, end, parameter);
    if (code != std::errc{} || rest != end) {
        return tl::unexpected(InputError{std::string(option) + " '" + std::string(text) + "'",
                                         std::string("has no number after '") + text[sign] + "'",
                                         "write it as zipf=0.75"});
    }
    named.parameter = parameter;
    return named;
}

Expected<NamedDistribution> parse_distribution_and(std::string_view text,
                                                   std::optional<double> parameter) {
    KEYSWAP_TRY(auto named, parse_distribution(text, "--distribution"));
    if (named.parameter && parameter) {
        return tl::unexpected(
            InputError{"--distribution '" + std::string(text) + "' and --parameter",
                       "both specify the parameter",
                       "leave one of them out"});
    }
    if (parameter) {
        named.parameter = parameter;
    }
    return named;
}

} // namespace keyswap::tools
