#include "tools/options/distribution_option.hpp"

#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::tools {

Expected<model::NamedDistribution> parse_distribution(std::string_view text,
                                                      std::string_view option) {
    std::size_t const sign = text.find_first_of("=:");
    model::NamedDistribution named{std::string(text.substr(0, sign)), std::nullopt};
    if (sign == std::string_view::npos) {
        return named;
    }
    named.parameter = parsed_number<double>(text.substr(sign + 1));
    if (!named.parameter) {
        return input_error(std::string(option) + " '" + std::string(text) + "'",
                           std::string("has no number after '") + text[sign] + "'",
                           "write it as zipf=0.75");
    }
    return named;
}

Expected<model::NamedDistribution> parse_distribution_and(std::string_view text,
                                                          std::optional<double> parameter) {
    KEYSWAP_TRY(auto named, parse_distribution(text, "--distribution"));
    if (named.parameter && parameter) {
        return input_error("--distribution '" + std::string(text) + "' and --parameter",
                           "both specify the parameter",
                           "leave one of them out");
    }
    if (parameter) {
        named.parameter = parameter;
    }
    return named;
}

} // namespace keyswap::tools
