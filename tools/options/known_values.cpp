#include "tools/options/known_values.hpp"

#include "model/distributions/distribution.hpp"
#include "simulator/cost/rate_profile.hpp"
#include "simulator/platform/platform.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

namespace keyswap::tools {

namespace {

template <class Range, class NameOf>
std::vector<std::string> names(Range const& range, NameOf name_of) {
    std::vector<std::string> names;
    std::ranges::transform(range, std::back_inserter(names), [&](auto const& element) {
        return std::string(std::invoke(name_of, element));
    });
    return names;
}

std::vector<std::string> variant_names() {
    std::vector<std::string> all;
    for (AlgorithmInfo const* const algorithm : catalog()) {
        if (algorithm->variants.size() > 1) {
            std::ranges::move(names(algorithm->variants, &VariantInfo::name),
                              std::back_inserter(all));
        }
    }
    return all;
}

std::map<std::string, KnownValues, std::less<>> values_by_option() {
    auto const types = names(every_key_type, [](KeyType type) { return to_string(type); });
    auto const distributions = names(model::distributions(), &model::Distribution::name);
    return {{"--type", {types}},
            {"--types", {types}},
            {"--distribution", {distributions}},
            {"--distributions", {distributions}},
            {"--algorithm", {names(catalog(), &AlgorithmInfo::name)}},
            {"--variant", {variant_names()}},
            {"--platform",
             {names(simulator::shipped_platforms(), &simulator::EmbeddedText::name), true}},
            {"--device", {simulator::shipped_rate_profiles(), true}},
            {"--direction", {{"ascending", "descending"}}},
            {"--zero-order", {{"total", "equal"}}},
            {"--nan-order", {{"total", "first", "last"}}},
            {"--values", {{"none", "32", "64"}}},
            {"--format", {{"auto", "raw", "npy", "csv"}}},
            {"--output-format", {{"auto", "raw", "npy", "csv"}}},
            {"--source", {{"auto", "materialized", "streamed", "closed-form"}}},
            {"--input-on", {{"node:0", "interleaved", "local", "devices"}}},
            {"--output-on", {{"node:0", "interleaved", "local", "devices"}}},
            {"--swap", {{"flat", "by-node", "best"}}},
            {"--where", {{"device", "host"}}}};
}

} // namespace

KnownValues known_values(std::string_view option) {
    static auto const known = values_by_option();
    auto const found = known.find(option);
    return found == known.end() ? KnownValues{{}, true} : found->second;
}

} // namespace keyswap::tools
