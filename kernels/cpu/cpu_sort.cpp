#include "kernels/cpu/cpu_sort.hpp"

#include "kernels/cpu/buffered_radix.hpp"
#include "kernels/cpu/simd_merge.hpp"
#include "kernels/cpu/step_digits.hpp"
#include "kernels/cpu/thread_team.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <array>
#include <fstream>
#include <new>
#include <string>
#include <system_error>

namespace keyswap::kernels {

namespace {

/// Model name such as "AMD EPYC 9654"; "CPU" if unknown.
std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        std::size_t const colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "CPU";
}

template <class T>
std::span<T> view(std::span<std::byte> bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <class Word, class Value>
ElementArrays<Word, Value> view(std::span<std::byte> keys, std::span<std::byte> values) {
    if constexpr (ElementArrays<Word, Value>::has_values) {
        return {view<Word>(keys), view<Value>(values)};
    } else {
        return {view<Word>(keys), {}};
    }
}

/// \param recode encode_image or decode_image
template <class Word>
void recode_keys(std::span<Word> keys,
                 ImageCode code,
                 Word (*recode)(Word, ImageCode),
                 unsigned threads) {
    if (code.is_identity()) {
        return;
    }
    run_on_threads(threads, [&](unsigned thread) {
        auto const [first, end] = block_of(keys.size(), threads, thread);
        for (Word& key : keys.subspan(first, end - first)) {
            key = recode(key, code);
        }
    });
}

template <class Word, class Value>
void sort_words(CpuSortOptions const& options, CpuSortArrays const& arrays, TraceSink* trace) {
    auto const elements = view<Word, Value>(arrays.keys, arrays.values);
    auto const scratch = view<Word, Value>(arrays.key_scratch, arrays.value_scratch);
    KEYSWAP_EXPECTS(scratch.size() == elements.size());
    KEYSWAP_EXPECTS(elements.values.size() == scratch.values.size());
    ImageCode const code = image_code(options.key_type, options.direction);
    recode_keys<Word>(elements.keys, code, encode_image<Word>, options.threads);
    if (options.choice.algorithm->name == "buffered-radix") {
        buffered_radix_sort(elements,
                            scratch,
                            step_digits(key_bits(options.key_type), options.digit_bits, 0),
                            options.threads,
                            trace);
    } else {
        AlgorithmInfo const& info = *options.choice.algorithm;
        simd_merge_sort(elements,
                        scratch,
                        value_of(options, *find_parameter(info, "run-keys")),
                        options.simd,
                        options.threads,
                        trace);
    }
    recode_keys<Word>(elements.keys, code, decode_image<Word>, options.threads);
}

template <class Word>
void sort_keys(CpuSortOptions const& options, CpuSortArrays const& arrays, TraceSink* trace) {
    switch (options.value_type) {
    case ValueType::none:
        return sort_words<Word, NoValue>(options, arrays, trace);
    case ValueType::bits32:
        return sort_words<Word, std::uint32_t>(options, arrays, trace);
    case ValueType::bits64:
        return sort_words<Word, std::uint64_t>(options, arrays, trace);
    }
}

} // namespace

std::span<std::string_view const> cpu_sorts() {
    static constexpr std::array<std::string_view, 2> names{"buffered-radix", "simd-merge"};
    return names;
}

bool runs_on_cpu(AlgorithmInfo const& algorithm) {
    return std::ranges::find(cpu_sorts(), algorithm.name) != cpu_sorts().end();
}

RunHeader cpu_run_header(CpuSortOptions const& options, std::uint64_t key_count) {
    RunHeader header;
    static_cast<SortShape&>(header) = static_cast<SortShape const&>(options);
    static_cast<SortParameters&>(header) = static_cast<SortParameters const&>(options);
    header.version = 2;
    header.stability = options.choice.algorithm->stability;
    header.device = processor_name();
    header.algorithm = options.choice.algorithm->name;
    header.variant = options.choice.variant->name;
    header.key_count = key_count;
    header.gpus = {0};
    header.virtual_gpus = true;
    return header;
}

Expected<void>
sort_on_cpu(CpuSortOptions const& options, CpuSortArrays const& arrays, TraceSink* trace) {
    KEYSWAP_EXPECTS(runs_on_cpu(*options.choice.algorithm));
    if (options.zero_order == ZeroOrder::equal) {
        return input_error(
            "zero order equal", "CPU sorts support the total order only", "use the reference");
    }
    if (options.threads < 1 || options.threads > cpu_threads_max) {
        return input_error(std::to_string(options.threads) + " threads",
                           "are too few or too many",
                           "give 1 to " + std::to_string(cpu_threads_max));
    }
    std::uint64_t const key_count = arrays.keys.size() / key_size_bytes(options.key_type);
    if (trace != nullptr) {
        trace->write(OwnershipRecord{GpuId{0}, 0, key_count});
    }
    try {
        switch (key_size_bytes(options.key_type)) {
        case sizeof(std::uint32_t):
            sort_keys<std::uint32_t>(options, arrays, trace);
            break;
        case sizeof(std::uint64_t):
            sort_keys<std::uint64_t>(options, arrays, trace);
            break;
        default:
            sort_keys<WideImage>(options, arrays, trace);
        }
    } catch (std::bad_alloc const&) {
        return input_error(std::to_string(options.threads) + " threads",
                           "need more memory for their buffers than is available",
                           "give fewer threads or fewer digit bits");
    } catch (std::system_error const& error) {
        return input_error(std::to_string(options.threads) + " threads",
                           std::string("cannot be started: ") + error.what(),
                           "give fewer threads");
    }
    return {};
}

} // namespace keyswap::kernels
