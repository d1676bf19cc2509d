#include "tools/options/known_values.hpp"

#include "model/keys/distribution.hpp"
#include "simulator/cost/rate_profile.hpp"
#include "simulator/platform/platform.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/records/key_type.hpp"

namespace keyswap::tools {

namespace {

std::vector<std::string> key_type_names() {
    std::vector<std::string> names;
    names.reserve(std::size(every_key_type));
    for (KeyType const type : every_key_type) {
        names.emplace_back(to_string(type));
    }
    return names;
}

std::vector<std::string> distribution_names() {
    std::vector<std::string> names;
    for (model::Distribution const& distribution : model::distributions()) {
        names.emplace_back(distribution.name);
    }
    return names;
}

std::vector<std::string> platform_names() {
    std::vector<std::string> names;
    for (simulator::ShippedPlatform const& platform : simulator::shipped_platforms()) {
        names.emplace_back(platform.name);
    }
    return names;
}

std::vector<std::string> algorithm_names() {
    std::vector<std::string> names;
    for (AlgorithmInfo const* const algorithm : catalog()) {
        names.emplace_back(algorithm->name);
    }
    return names;
}

std::vector<std::string> variant_names() {
    std::vector<std::string> names;
    for (AlgorithmInfo const* const algorithm : catalog()) {
        for (VariantInfo const& variant : algorithm->variants) {
            if (algorithm->variants.size() > 1) {
                names.emplace_back(variant.name);
            }
        }
    }
    return names;
}

} // namespace

KnownValues known_values(std::string_view option) {
    if (option == "--type" || option == "--types") {
        return {key_type_names(), false};
    }
    if (option == "--distribution" || option == "--distributions") {
        return {distribution_names(), false};
    }
    if (option == "--algorithm") {
        return {algorithm_names(), false};
    }
    if (option == "--variant") {
        return {variant_names(), false};
    }
    if (option == "--platform") {
        return {platform_names(), true};
    }
    if (option == "--device") {
        return {simulator::shipped_rate_profiles(), true};
    }
    if (option == "--direction") {
        return {{"ascending", "descending"}, false};
    }
    if (option == "--zero-order") {
        return {{"total", "equal"}, false};
    }
    if (option == "--nan-order") {
        return {{"total", "first", "last"}, false};
    }
    if (option == "--values" || option == "--value-bits") {
        return {{"none", "32", "64"}, false};
    }
    if (option == "--format" || option == "--output-format") {
        return {{"auto", "raw", "npy", "csv"}, false};
    }
    if (option == "--source") {
        return {{"auto", "materialized", "streamed", "closed-form"}, false};
    }
    if (option == "--input-on" || option == "--output-on") {
        return {{"node:0", "interleaved", "local", "devices"}, false};
    }
    if (option == "--swap") {
        return {{"flat", "by-node", "best"}, false};
    }
    if (option == "--where") {
        return {{"device", "host"}, false};
    }
    return {{}, true};
}

} // namespace keyswap::tools
