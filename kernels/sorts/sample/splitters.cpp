#include "kernels/sorts/sample/splitters.hpp"

#include "traces/catalog/parameters.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr std::uint64_t later_draws = std::uint64_t{1} << 18;

std::uint64_t parameter(SortOptions const& options, std::string_view name) {
    return value_of(options, *find_parameter(*options.choice.algorithm, name));
}

BucketFunction equal_ranges(ImageRange images, std::uint32_t ways) {
    WideImage const width = (images.highest - images.lowest) / ways + 1;
    return {ways, DeltaBuckets{key_image(images.lowest), key_image(width)}};
}

} // namespace

SampleParameters sample_parameters(SortOptions const& options) {
    return {static_cast<std::uint32_t>(parameter(options, "ways")),
            static_cast<std::uint32_t>(parameter(options, "oversampling")),
            parameter(options, "sample-seed")};
}

int child_bits_of(SampleParameters const& parameters) {
    return std::bit_width(std::max(parameters.ways, 3U) - 1);
}

int passes_max_of(SampleParameters const& parameters) {
    return 64 / child_bits_of(parameters);
}

std::uint64_t draws_of_pass(SampleParameters const& parameters, int pass, std::uint64_t key_count) {
    if (pass == 1) {
        return std::uint64_t{parameters.ways} * parameters.oversampling;
    }
    return key_count < later_draws / 64 ? 64 * key_count : later_draws;
}

std::uint64_t seed_of_pass(SampleParameters const& parameters, int pass) {
    return pass == 1 ? parameters.seed
                     : mix_bits(parameters.seed + static_cast<std::uint64_t>(pass));
}

BucketFunction
dividing_function(ImageRange images, std::span<WideImage const> sample, std::uint32_t ways) {
    if (sample.empty()) {
        return equal_ranges(images, ways);
    }
    std::uint64_t const size = sample.size();
    std::uint64_t const parts = std::min<std::uint64_t>(ways, size + 1);
    SplitterBuckets splitters;
    for (std::uint64_t i = 1; i < parts; ++i) {
        KeyImage const pick = key_image(sample[(i * size + parts - 1) / parts - 1]);
        if (!splitters.splitters.empty() && splitters.splitters.back() == pick) {
            splitters.equality.back() = true;
        } else {
            splitters.splitters.push_back(pick);
            splitters.equality.push_back(false);
        }
    }
    if (splitters.splitters.size() == 1) {
        splitters.equality.front() = true;
    }
    auto const flagged = std::count(splitters.equality.begin(), splitters.equality.end(), true);
    auto const buckets =
        static_cast<std::uint32_t>(splitters.splitters.size() + static_cast<std::size_t>(flagged));
    return {buckets + 1, std::move(splitters)};
}

std::vector<WideImage> lower_edges(BucketFunction const& function, int key_bits) {
    WideImage const largest = all_images(key_bits).highest;
    std::vector<WideImage> edges;
    if (auto const* const delta = std::get_if<DeltaBuckets>(&function.rule)) {
        WideImage const width = wide_image(delta->width);
        WideImage edge = wide_image(delta->origin);
        while (edges.size() + 1 < function.buckets && edge <= largest - width) {
            edge += width;
            edges.push_back(edge);
        }
        return edges;
    }
    auto const* const splitters = std::get_if<SplitterBuckets>(&function.rule);
    KEYSWAP_EXPECTS(splitters != nullptr && splitters->tie == Tie::left);
    for (std::size_t i = 0; i < splitters->splitters.size(); ++i) {
        WideImage const splitter = wide_image(splitters->splitters[i]);
        if (splitters->equality[i]) {
            edges.push_back(splitter);
        }
        if (splitter < largest) {
            edges.push_back(splitter + 1);
        }
    }
    return edges;
}

ImageRange child_range(ImageRange bucket, std::span<WideImage const> edges, std::uint32_t child) {
    constexpr ImageRange none{1, 0};
    if (child > edges.size()) {
        return none;
    }
    ImageRange range = bucket;
    if (child > 0) {
        range.lowest = std::max(range.lowest, edges[child - 1]);
    }
    if (child < edges.size()) {
        if (edges[child] == 0) {
            return none;
        }
        range.highest = std::min(range.highest, edges[child] - 1);
    }
    return range.empty() ? none : range;
}

} // namespace keyswap::kernels
