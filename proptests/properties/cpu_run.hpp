#pragma once

/// \file A recorded sort on the CPU, with its input and output.

#include "kernels/cpu/cpu_sort.hpp"
#include "model/keys/key_arrays.hpp"
#include "model/keys/key_order.hpp"
#include "model/verify/expected/input_keys.hpp"
#include "model/verify/recorded_run.hpp"
#include "proptests/properties/reference_run.hpp"

#include <algorithm>
#include <cstring>
#include <rapidcheck.h>
#include <utility>
#include <vector>

namespace keyswap::proptests {

/// Image of an element and its index in the input.
using Indexed = std::pair<model::uint128, std::uint64_t>;

struct CpuRun {
    model::verify::RecordedRun run;
    std::vector<Indexed> input;
    std::vector<Indexed> output; ///< indices are 0 if there are no values

    [[nodiscard]] bool is_sorted() const {
        return std::ranges::is_sorted(output, {}, &Indexed::first);
    }
    [[nodiscard]] bool is_permutation() const { return digest(input) == digest(output); }

  private:
    [[nodiscard]] MultisetDigest digest(std::vector<Indexed> const& elements) const {
        MultisetDigest sum;
        for (auto const& [image, index] : elements) {
            bool const has_values = run.header.value_type != ValueType::none;
            sum += model::element_digest(image, has_values ? index : 0);
        }
        return sum;
    }
};

/// Random header of a CPU sort: algorithm, keys, direction, values and parameters.
inline rc::Gen<RunHeader> any_cpu_header(std::uint64_t key_count_max) {
    return rc::gen::exec([key_count_max] {
        RunHeader header = *any_run_header(key_count_max);
        header.algorithm = *rc::gen::element<std::string>("buffered-radix", "simd-merge");
        header.variant = "published";
        header.version = 2;
        header.gpus = {0};
        header.key_type = *rc::gen::elementOf(every_key_type);
        header.zero_order = ZeroOrder::total;
        if (header.algorithm == "simd-merge") {
            header.stability = Stability::unstable;
            header.parameters = {{"run-keys", *rc::gen::inRange<std::uint64_t>(2, 600)}};
        }
        return header;
    });
}

/// Execution parameters; they must not affect the result.
struct CpuUse {
    unsigned threads = 1;
    kernels::SimdUse simd = kernels::SimdUse::best;
    std::size_t skew = 0; ///< offset of each array in its allocation, in elements
};

inline rc::Gen<CpuUse> any_cpu_use() {
    return rc::gen::exec([] {
        return CpuUse{*rc::gen::element(1U, 2U, 3U, 7U, 32U),
                      *rc::gen::element(kernels::SimdUse::best, kernels::SimdUse::none),
                      *rc::gen::inRange<std::size_t>(0, 17)};
    });
}

/// Sorts the keys named by the header; nullopt if it names none.
inline std::optional<CpuRun> sort_on_cpu(RunHeader const& header, CpuUse use) {
    auto const input = model::verify::find_input(header);
    auto const choice = choose(header.algorithm, header.variant);
    if (!input || input->input == nullptr || !choice) {
        return std::nullopt;
    }
    kernels::CpuSortOptions options;
    static_cast<SortShape&>(options) = static_cast<SortShape const&>(header);
    static_cast<SortParameters&>(options) = static_cast<SortParameters const&>(header);
    options.choice = *choice;
    options.threads = use.threads;
    options.simd = use.simd;

    std::size_t const n = input->input->key_count();
    std::vector<model::uint128> images(n);
    input->input->images(0, std::span(images));
    std::size_t const key_bytes = key_size_bytes(header.key_type);
    std::size_t const value_bytes = value_size_bytes(header.value_type);
    std::vector<std::byte> keys((n + use.skew) * key_bytes);
    std::vector<std::byte> values((n + use.skew) * value_bytes);
    std::vector<std::byte> key_scratch(n * key_bytes);
    std::vector<std::byte> value_scratch(n * value_bytes);
    kernels::CpuSortArrays const arrays{std::span(keys).subspan(use.skew * key_bytes),
                                        std::span(values).subspan(use.skew * value_bytes),
                                        key_scratch,
                                        value_scratch};
    CpuRun result;
    model::verify::RecordedRunSink sink("cpu");
    RunHeader recorded = kernels::cpu_run_header(options, n);
    recorded.input = header.input;
    sink.write(recorded);
    model::with_key_type(header.key_type, [&]<class T>(T) {
        for (std::size_t i = 0; i < n; ++i) {
            auto const image = static_cast<model::ImageOf<T>>(images[i]);
            T const key = model::key_of<T>(image, header.direction);
            std::memcpy(&arrays.keys[i * key_bytes], &key, key_bytes);
            if (value_bytes > 0) {
                std::memcpy(&arrays.values[i * value_bytes], &i, value_bytes);
            }
            result.input.emplace_back(images[i], i);
        }
        RC_ASSERT(kernels::sort_on_cpu(options, arrays, &sink).has_value());
        for (std::size_t i = 0; i < n; ++i) {
            T key{};
            std::uint64_t value = 0;
            std::memcpy(&key, &arrays.keys[i * key_bytes], key_bytes);
            if (value_bytes > 0) {
                std::memcpy(&value, &arrays.values[i * value_bytes], value_bytes);
            }
            result.output.emplace_back(model::image_of(key, header.direction), value);
        }
    });
    result.run = std::move(sink.run());
    return result;
}

} // namespace keyswap::proptests
