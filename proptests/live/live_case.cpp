#include "proptests/live/live_case.hpp"

#include "model/partition/multisplit_method.hpp"
#include "model/partition/shuffle.hpp"
#include "model/partition/stable_partition.hpp"
#include "model/verify/expected/input_keys.hpp"
#include "model/verify/operations/verify_operation.hpp"
#include "model/verify/verify_trace.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

namespace keyswap::proptests {

namespace {

template <class T>
void put_if_set(nlohmann::ordered_json& json, char const* name, T value) {
    json[name] = value;
}

template <class T>
void put_if_set(nlohmann::ordered_json& json, char const* name, std::optional<T> value) {
    if (value) {
        json[name] = *value;
    }
}

template <class T>
void get_if_present(nlohmann::json const& json, char const* name, T& value) {
    value = json.value(name, value);
}

template <class T>
void get_if_present(nlohmann::json const& json, char const* name, std::optional<T>& value) {
    if (json.contains(name)) {
        value = json.at(name).get<T>();
    }
}

std::unique_ptr<model::verify::InputKeys> keys_of(LiveCase const& live_case) {
    return with_word(live_case, [&]<class Word>(std::type_identity<Word> /*word*/) {
        return model::verify::input_of(words_of<Word>(live_case));
    });
}

/// Checks that each input index occurs exactly once among the values, next to its key.
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

/// [key] bucket of a multisplit.
std::vector<std::uint32_t> buckets_of(LiveCase const& live_case) {
    auto const column = label_column(*live_case.split, live_case.images.size());
    bool const is_column = std::holds_alternative<LabelBuckets>(live_case.split->function.rule);
    model::BucketEvaluator const evaluator(live_case.split->function,
                                           key_bits(live_case.config.key_type),
                                           is_column ? std::span(column)
                                                     : std::span<std::uint32_t const>());
    return model::labels_of(evaluator, std::span<std::uint64_t const>(live_case.images));
}

/// Input indices in output order, under a stable sort or split.
std::vector<std::uint64_t> expected_order(LiveCase const& live_case) {
    std::vector<std::uint64_t> order(live_case.images.size());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    if (live_case.split) {
        auto const buckets = buckets_of(live_case);
        std::ranges::stable_sort(order, {}, [&](std::uint64_t i) { return buckets[i]; });
    } else {
        std::ranges::stable_sort(
            order, {}, [&live_case](std::uint64_t i) { return live_case.images[i]; });
    }
    return order;
}

bool keeps_order(LiveCase const& live_case) {
    if (live_case.split) {
        auto const method = model::find_multisplit_method(live_case.split->method);
        return !method || (*method)->stability == Stability::stable;
    }
    // Variant fast splits pairs unstably if the case permits any order of equal keys.
    bool const may_change = live_case.algorithm == "rmg" && live_case.variant == "fast" &&
                            live_case.config.stability == Stability::unstable;
    return (*find_algorithm_info(live_case.algorithm))->stability == Stability::stable &&
           !may_change;
}

/// Checks that every bucket holds exactly its keys, in any order.
std::optional<std::string> check_unstable_split(LiveCase const& live_case,
                                                std::vector<std::uint64_t> const& output_images) {
    std::vector<std::uint64_t> expected;
    for (std::uint64_t const index : expected_order(live_case)) {
        expected.push_back(live_case.images[index]);
    }
    if (output_images.size() != expected.size()) {
        return "the output has " + std::to_string(output_images.size()) + " keys";
    }
    std::vector<std::uint64_t> found = output_images;
    auto labels = buckets_of(live_case);
    std::ranges::sort(labels);
    std::uint32_t bucket = 0;
    for (std::size_t begin = 0; begin < labels.size(); ++bucket) {
        auto const end = static_cast<std::size_t>(std::ranges::upper_bound(labels, labels[begin]) -
                                                  labels.begin());
        auto const sorted_part = [begin, end](std::vector<std::uint64_t>& words) {
            std::span const part = std::span(words).subspan(begin, end - begin);
            std::ranges::sort(part);
            return part;
        };
        if (!std::ranges::equal(sorted_part(found), sorted_part(expected))) {
            return "wrong keys: bucket " + std::to_string(labels[begin]) + ", [" +
                   std::to_string(begin) + ", " + std::to_string(end) +
                   ") of the output, holds other keys than belong there";
        }
        begin = end;
    }
    return std::nullopt;
}

} // namespace

RunHeader multisplit_header(LiveCase const& live_case) {
    RunHeader header;
    header.version = 2;
    header.operation = Operation::multisplit;
    header.algorithm = to_string(Operation::multisplit);
    header.variant = live_case.split->method;
    header.key_count = live_case.images.size();
    header.gpus = live_case.devices;
    if (header.gpus.size() > 1) {
        header.layout = SwapLayout::by_bucket;
        header.parameters = {{std::string(model::given_owners_parameter), 0}};
    }
    static_cast<SortShape&>(header) = static_cast<SortShape const&>(live_case.config);
    return header;
}

std::optional<std::string> check_output(LiveCase const& live_case,
                                        std::vector<std::uint64_t> const& output_images,
                                        std::vector<std::uint64_t> const& output_values) {
    if (live_case.split && !keeps_order(live_case)) {
        return check_unstable_split(live_case, output_images);
    }
    std::vector<std::uint64_t> const order = expected_order(live_case);
    if (output_images.size() != order.size()) {
        return "the output has " + std::to_string(output_images.size()) + " keys";
    }
    bool const has_values = live_case.config.value_type != ValueType::none;
    if (has_values && output_values.size() != order.size()) {
        return "the output has " + std::to_string(output_values.size()) + " values";
    }
    bool const stable = has_values && keeps_order(live_case);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (output_images[i] != live_case.images[order[i]]) {
            return "wrong order: the key at index " + std::to_string(i) +
                   " of the output has image " + std::to_string(output_images[i]) + ", expected " +
                   std::to_string(live_case.images[order[i]]);
        }
        if (stable && output_values[i] != order[i]) {
            return "wrong value: index " + std::to_string(i) + " of the output has value " +
                   std::to_string(output_values[i]) + ", expected " + std::to_string(order[i]) +
                   " (values are input indices, the order of equal ones is kept)";
        }
    }
    return has_values ? check_values(live_case, output_images, output_values) : std::nullopt;
}

std::optional<std::string> check_outcome(LiveCase const& live_case, LiveOutcome const& outcome) {
    auto const keys = keys_of(live_case);
    auto const report = live_case.split
                            ? model::verify::verify_operation(
                                  outcome.run, keys.get(), model::verify::unlimited_memory())
                            : model::verify::verify_run_of(outcome.run, *keys);
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
    nlohmann::ordered_json json{{"algorithm", live_case.algorithm},
                                {"variant", live_case.variant},
                                {"stability", to_string(config.stability)},
                                {"devices", live_case.devices},
                                {"type", to_string(config.key_type)},
                                {"direction", to_string(config.direction)},
                                {"values", to_string(config.value_type)},
                                {"digit_bits", config.digit_bits},
                                {"tolerance_ppm", config.tolerance_ppm},
                                {"fuse_ppm", config.fuse_ppm},
                                {"parameters", config.parameters},
                                {"images", live_case.images}};
    if (live_case.on_devices) {
        json["on_devices"] = true;
    }
    if (live_case.by_ranks) {
        json["by_ranks"] = true;
    }
    if (live_case.over_nccl) {
        json["over_nccl"] = true;
    }
    if (live_case.delay_seed) {
        json["delay_seed"] = *live_case.delay_seed;
    }
    auto const write = [&](auto const& field) {
        put_if_set(json, field.name, live_case.tuning.*field.member);
    };
    std::apply([&](auto const&... fields) { (write(fields), ...); }, kernels::fast_tuning_fields);
    if (key_bits(config.key_type) > 64) {
        json["wide_shift"] = live_case.wide_shift;
    }
    if (live_case.split) {
        json["split"] = to_json(*live_case.split);
    }
    return json.dump();
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
        live_case.wide_shift = json.value("wide_shift", live_case.wide_shift);
        if (live_case.wide_shift < 0 || live_case.wide_shift > 64) {
            return tl::unexpected(
                InputError{name, "shifts images out of 128 bits", "give a wide_shift of 0 to 64"});
        }
        live_case.algorithm = json.value("algorithm", live_case.algorithm);
        live_case.variant = json.at("variant").get<std::string>();
        KEYSWAP_RETURN_IF_ERROR(choose(live_case.algorithm, live_case.variant));
        live_case.on_devices = json.value("on_devices", false);
        live_case.by_ranks = json.value("by_ranks", false);
        live_case.over_nccl = json.value("over_nccl", false);
        if (json.contains("delay_seed")) {
            live_case.delay_seed = json.at("delay_seed").get<std::uint64_t>();
        }
        auto const read = [&](auto const& field) {
            get_if_present(json, field.name, live_case.tuning.*field.member);
        };
        std::apply([&](auto const&... fields) { (read(fields), ...); },
                   kernels::fast_tuning_fields);
        KEYSWAP_TRY(auto const stability, parse_stability(json.value("stability", "unstable")));
        live_case.config.stability = stability;
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
        KEYSWAP_RETURN_IF_ERROR(find_algorithm_info(live_case.algorithm));
        if (json.contains("split")) {
            if (key_bits(*type) > 64) {
                return input_error(name,
                                   "splits keys of 128 bits, which no kernel does",
                                   "save a case of narrower keys");
            }
            auto split = parse_live_split(json.at("split"));
            if (split) {
                KEYSWAP_RETURN_IF_ERROR(model::validated(split->function, key_bits(*type)));
            } else {
                return tl::unexpected(split.error());
            }
            live_case.split = std::move(*split);
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
