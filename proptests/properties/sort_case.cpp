#include "proptests/properties/sort_case.hpp"

#include <nlohmann/json.hpp>

namespace keyswap::proptests {

std::string to_text(SortCase const& sort_case) {
    model::SortConfig const& config = sort_case.config;
    return nlohmann::ordered_json{{"type", to_string(config.key_type)},
                                  {"gpus", config.gpu_count},
                                  {"digit_bits", config.digit_bits},
                                  {"tolerance_ppm", config.tolerance_ppm},
                                  {"fuse_ppm", config.fuse_ppm},
                                  {"images", sort_case.images}}
        .dump();
}

void showValue(SortCase const& sort_case, std::ostream& out) {
    out << to_text(sort_case);
}

Expected<SortCase> parse_sort_case(std::string const& text, std::string const& name) {
    try {
        auto const json = nlohmann::json::parse(text);
        auto const type = parse_key_type(json.at("type").get<std::string>());
        if (!type) {
            return tl::unexpected(type.error());
        }
        SortCase sort_case;
        sort_case.images = json.at("images").get<std::vector<std::uint64_t>>();
        sort_case.config.key_count = sort_case.images.size();
        sort_case.config.key_type = *type;
        sort_case.config.gpu_count = json.at("gpus").get<std::uint32_t>();
        sort_case.config.digit_bits = json.at("digit_bits").get<int>();
        sort_case.config.tolerance_ppm = json.at("tolerance_ppm").get<std::uint32_t>();
        sort_case.config.fuse_ppm = json.at("fuse_ppm").get<std::uint32_t>();
        return model::validated(sort_case.config).map([&](auto const&) { return sort_case; });
    } catch (nlohmann::json::exception const& error) {
        return tl::unexpected(InputError{name,
                                         std::string("is not a saved case: ") + error.what(),
                                         "remove it or save it again"});
    }
}

} // namespace keyswap::proptests
