#include "kernels/sort.hpp"

#include <array>
#include <utility>

namespace keyswap::kernels {

namespace {

constexpr std::array variant_names = {std::pair{Variant::paper, std::string_view{"paper"}},
                                      std::pair{Variant::rotated, std::string_view{"rotated"}},
                                      std::pair{Variant::fast, std::string_view{"fast"}}};

constexpr std::array algorithm_names = {
    std::pair{Algorithm::rmg, std::string_view{"rmg"}},
    std::pair{Algorithm::p2p_merge, std::string_view{"p2p-merge"}},
    std::pair{Algorithm::het_merge, std::string_view{"het-merge"}}};

} // namespace

std::string_view to_string(Variant variant) {
    for (auto const& [known, name] : variant_names) {
        if (known == variant) {
            return name;
        }
    }
    return "unknown";
}

Expected<Variant> parse_variant(std::string_view text) {
    for (auto const& [variant, name] : variant_names) {
        if (name == text) {
            return variant;
        }
    }
    return tl::unexpected(InputError{"variant " + std::string{text},
                                     "is not a variant of this sort",
                                     "use paper, rotated or fast"});
}

std::string_view to_string(Algorithm algorithm) {
    for (auto const& [known, name] : algorithm_names) {
        if (known == algorithm) {
            return name;
        }
    }
    return "unknown";
}

Expected<Algorithm> parse_algorithm(std::string_view text) {
    for (auto const& [algorithm, name] : algorithm_names) {
        if (name == text) {
            return algorithm;
        }
    }
    return tl::unexpected(InputError{"algorithm " + std::string{text},
                                     "is not known to the kernels",
                                     "use rmg, p2p-merge or het-merge"});
}

} // namespace keyswap::kernels
