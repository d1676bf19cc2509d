#include "proptests/live/live_case.hpp"

#include "model/verify/input_keys.hpp"
#include "model/verify/verify_trace.hpp"
#include "traces/catalog/catalog.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace keyswap::proptests {

namespace {

std::unique_ptr<conformance::InputKeys> keys_of(LiveCase const& live_case) {
    if (key_bits(live_case.config.key_type) == 32) {
        return conformance::input_of(words_of<std::uint32_t>(live_case));
    }
    return conformance::input_of(words_of<std::uint64_t>(live_case));
}

/// Values are input indices: each comes once, with its key.
std::optional<std::string> check_values(LiveCase const& live_case,
                                        std::vector<std::uint64_t> const& output_images,
                                        std::vector<std::uint64_t> const& output_values) {
    std::vector<bool> seen(live_case.images.size(), false);
    for (std::size_t i = 0; i < output_values.size(); ++i) {
        std::uint64_t const value = output_values[i];
        bool const right =
            value < seen.size() && !seen[value] && live_case.images[value] == output_images[i];
        if (!right) {
            return "wrong value: index " + std::to_string(i) + " of the output has value " +
                   std::to_string(value) +
                   ", which is not an input index, came before, or is of another key";
        }
        seen[value] = true;
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> check_output(LiveCase const& live_case,
                                        std::vector<std::uint64_t> const& output_images,
                                        std::vector<std::uint64_t> const& output_values) {
    std::vector<std::uint64_t> order(live_case.images.size());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::ranges::stable_sort(
        order, {}, [&live_case](std::uint64_t i) { return live_case.images[i]; });
    if (output_images.size() != order.size()) {
        return "the output has " + std::to_string(output_images.size()) + " keys";
    }
    bool const has_values = live_case.config.value_type != ValueType::none;
    if (has_values && output_values.size() != order.size()) {
        return "the output has " + std::to_string(output_values.size()) + " values";
    }
    bool const stable =
        has_values && (*find_algorithm_info(live_case.algorithm))->stability == Stability::stable;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (output_images[i] != live_case.images[order[i]]) {
            return "wrong order: the key at index " + std::to_string(i) +
                   " of the output has image " + std::to_string(output_images[i]) + ", expected " +
                   std::to_string(live_case.images[order[i]]);
        }
        if (stable && output_values[i] != order[i]) {
            return "wrong value: index " + std::to_string(i) + " of the output has value " +
                   std::to_string(output_values[i]) + ", expected " + std::to_string(order[i]) +
                   " (values are input indices, the sort is stable)";
        }
    }
    return has_values ? check_values(live_case, output_images, output_values) : std::nullopt;
}

std::optional<std::string> check_outcome(LiveCase const& live_case, LiveOutcome const& outcome) {
    auto const keys = keys_of(live_case);
    auto const report = conformance::verify_run_of(outcome.run, *keys);
    if (!report) {
        return report.error().message();
    }
    if (!report->holds()) {
        return sentence_of(report->differences.front());
    }
    return check_output(live_case, outcome.output_images, outcome.output_values);
}

std::string to_text(LiveCase const& live_case) {
    model::SortConfig const& config = live_case.config;
    return nlohmann::ordered_json{{"algorithm", live_case.algorithm},
                                  {"variant", live_case.variant},
                                  {"counting_min", live_case.counting_min},
                                  {"devices", live_case.devices},
                                  {"type", to_string(config.key_type)},
                                  {"direction", to_string(config.direction)},
                                  {"values", to_string(config.value_type)},
                                  {"digit_bits", config.digit_bits},
                                  {"tolerance_ppm", config.tolerance_ppm},
                                  {"fuse_ppm", config.fuse_ppm},
                                  {"parameters", config.parameters},
                                  {"images", live_case.images}}
        .dump();
}

Expected<LiveCase> parse_live_case(std::string const& text, std::string const& name) {
    try {
        auto const json = nlohmann::json::parse(text);
        auto const type = parse_key_type(json.at("type").get<std::string>());
        auto const direction = parse_direction(json.at("direction").get<std::string>());
        auto const values = parse_value_type(json.at("values").get<std::string>());
        if (!type || !direction || !values) {
            return tl::unexpected(!type        ? type.error()
                                  : !direction ? direction.error()
                                               : values.error());
        }
        LiveCase live_case;
        live_case.algorithm = json.value("algorithm", live_case.algorithm);
        live_case.variant = json.at("variant").get<std::string>();
        if (auto const known = choose(live_case.algorithm, live_case.variant); !known) {
            return tl::unexpected(known.error());
        }
        live_case.counting_min = json.value("counting_min", live_case.counting_min);
        live_case.devices = json.at("devices").get<std::vector<int>>();
        live_case.images = json.at("images").get<std::vector<std::uint64_t>>();
        live_case.config.key_count = live_case.images.size();
        live_case.config.gpu_count = static_cast<std::uint32_t>(live_case.devices.size());
        live_case.config.key_type = *type;
        live_case.config.direction = *direction;
        live_case.config.value_type = *values;
        live_case.config.digit_bits = json.at("digit_bits").get<int>();
        live_case.config.tolerance_ppm = json.at("tolerance_ppm").get<std::uint32_t>();
        live_case.config.fuse_ppm = json.at("fuse_ppm").get<std::uint32_t>();
        if (json.contains("parameters")) {
            json.at("parameters").get_to(live_case.config.parameters);
        }
        if (auto const known = find_algorithm_info(live_case.algorithm); !known) {
            return tl::unexpected(known.error());
        }
        return model::validated(live_case.config).map([&](auto const&) { return live_case; });
    } catch (nlohmann::json::exception const&) {
        return tl::unexpected(
            InputError{name,
                       "is not a saved case: a member is missing or of another type",
                       "remove the file, or save the case again"});
    }
}

} // namespace keyswap::proptests
