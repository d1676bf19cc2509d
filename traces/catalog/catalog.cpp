#include "traces/catalog/catalog.hpp"

#include "traces/errors/error_subject.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <bit>

namespace keyswap {

Expected<AlgorithmInfo const*> find_algorithm_info(std::string_view name) {
    return find_named(catalog(), &AlgorithmInfo::name, name, "algorithm");
}

Expected<VariantInfo const*> find_variant(AlgorithmInfo const& algorithm, std::string_view name) {
    return find_named(
        algorithm.variants, &VariantInfo::name, name, "variant of " + std::string(algorithm.name));
}

Expected<void> check_key_type(AlgorithmInfo const& algorithm, KeyType type) {
    if (std::ranges::find(algorithm.key_types, type) != algorithm.key_types.end()) {
        return {};
    }
    std::string takers;
    for (AlgorithmInfo const* const other : catalog()) {
        if (std::ranges::find(other->key_types, type) != other->key_types.end()) {
            takers += takers.empty() ? "" : ", ";
            takers += other->name;
        }
    }
    return tl::unexpected(
        InputError{setting("type", to_string(type)),
                   std::string(algorithm.name) + " does not take keys of that type",
                   "choose a narrower type, or one of " + takers});
}

bool takes_gpus(GpuCounts counts, std::uint32_t gpu_count) {
    switch (counts) {
    case GpuCounts::none:
    case GpuCounts::one:
        return gpu_count == 1;
    case GpuCounts::power_of_two:
        return std::has_single_bit(gpu_count);
    case GpuCounts::any:
        break;
    }
    return true;
}

ParameterInfo const* find_parameter(AlgorithmInfo const& algorithm, std::string_view name) {
    for (ParameterInfo const& parameter : algorithm.parameters) {
        if (parameter.name == name) {
            return &parameter;
        }
    }
    return nullptr;
}

Expected<AlgorithmChoice> choose(std::string_view algorithm,
                                 std::optional<std::string> const& variant) {
    KEYSWAP_TRY(auto const found, find_algorithm_info(algorithm));
    if (!variant) {
        return AlgorithmChoice{found, &found->variants.front()};
    }
    return find_variant(*found, *variant).map([&](VariantInfo const* chosen) {
        return AlgorithmChoice{found, chosen};
    });
}

std::string full_name(AlgorithmChoice choice) {
    std::string name(choice.algorithm->name);
    return choice.algorithm->variants.size() == 1 ? name
                                                  : name + "-" + std::string(choice.variant->name);
}

std::vector<AlgorithmChoice> every_choice() {
    std::vector<AlgorithmChoice> choices;
    for (AlgorithmInfo const* algorithm : catalog()) {
        for (VariantInfo const& variant : algorithm->variants) {
            choices.push_back({algorithm, &variant});
        }
    }
    return choices;
}

Expected<AlgorithmChoice> parse_full_name(std::string_view text) {
    KnownNames known;
    for (AlgorithmChoice const choice : every_choice()) {
        bool const first = choice.variant == &choice.algorithm->variants.front();
        if (full_name(choice) == text || (first && choice.algorithm->name == text)) {
            return choice;
        }
        known.add(full_name(choice));
    }
    return known.not_known("algorithm", text);
}

std::optional<AlgorithmChoice> find_published(std::string_view published_name) {
    for (AlgorithmChoice const choice : every_choice()) {
        if (!published_name.empty() && choice.variant->published_name == published_name) {
            return choice;
        }
    }
    return std::nullopt;
}

std::string measured_algorithm(std::string const& recorded_name) {
    auto const published = find_published(recorded_name);
    return published ? full_name(*published) : recorded_name;
}

} // namespace keyswap
