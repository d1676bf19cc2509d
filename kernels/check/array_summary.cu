#include "kernels/check/array_summary.hpp"

#include "kernels/check/image_order.hpp"
#include "kernels/device/cuda_check.hpp"
#include "kernels/device/multiprocessors.hpp"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/move_values.cuh"

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr int check_threads = 512;
constexpr int blocks_per_multiprocessor = 2; // with two loads in flight per thread
constexpr int warp_size = 32;
constexpr std::uint32_t whole_warp = 0xffffffffU;
constexpr std::uint64_t no_violation = ArraySums{}.first_violation;

/// The sums of the array that a device is reading.
__device__ ArraySums device_sums;

/// Keys of one load: 16 bytes if the array is aligned to them, or 32 for narrow words; otherwise
/// one key.
template <class Word, bool aligned>
struct KeyLoad {
    static constexpr int vectors = sizeof(Word) == sizeof(std::uint32_t) ? 2 : 1;
    static constexpr int keys =
        aligned ? vectors * static_cast<int>(sizeof(uint4) / sizeof(Word)) : 1;
    Word words[keys];

    __device__ void read(Word const* array, std::uint64_t number) {
        if constexpr (aligned && sizeof(Word) < sizeof(uint4)) {
            union {
                uint4 of_load[vectors];
                Word words[keys];
            } loaded;
#pragma unroll
            for (int i = 0; i < vectors; ++i) {
                loaded.of_load[i] =
                    __ldcs(reinterpret_cast<uint4 const*>(array) + number * vectors + i);
            }
#pragma unroll
            for (int i = 0; i < keys; ++i) {
                words[i] = loaded.words[i];
            }
        } else {
            words[0] = array[number];
        }
    }
};

template <class Word, class Value>
struct ReadArray {
    Word const* keys;
    Value const* values;
    std::uint64_t count;
    ImageMasks<Word> encode;
    std::uint64_t seed;
};

/// A thread's part of an array.
template <class Word, class Value, class Order, bool aligned>
class ArraySummarizer {
    using Load = KeyLoad<Word, aligned>;
    static constexpr int load_keys = Load::keys;

  public:
    __device__ ArraySummarizer(ReadArray<Word, Value> const& array, Order const& order)
        : array_(array), order_(order) {}

    /// All lanes of a warp make the same number of steps: each compares its last key with the first
    /// of the next lane. A step's loads are in flight while the previous step's keys are added.
    __device__ void read() {
        std::uint64_t const loads = array_.count / load_keys;
        std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
        std::uint64_t const thread =
            blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
        auto const lane = static_cast<std::uint64_t>(threadIdx.x % warp_size);
        Step step = step_at(thread, loads);
        for (std::uint64_t at = thread; at - lane < loads; at += stride) {
            Step const following = step_at(at + stride, loads);
            add_step(step, at, loads);
            step = following;
        }
        if (thread == 0) {
            device_sums.first = key_image(order_.of(image_at(0)));
            device_sums.last = key_image(order_.of(image_at(array_.count - 1)));
            for (std::uint64_t i = loads * load_keys; i < array_.count; ++i) { // less than one load
                add(i, image_at(i));
                if (i + 1 < array_.count) {
                    compare(i, image_at(i), image_at(i + 1));
                }
            }
        }
    }

    __device__ void write() {
        for (int lanes = warp_size / 2; lanes > 0; lanes /= 2) {
            own_.words += __shfl_xor_sync(whole_warp, own_.words, lanes);
            own_.products += __shfl_xor_sync(whole_warp, own_.products, lanes);
            own_.violations += __shfl_xor_sync(whole_warp, own_.violations, lanes);
            std::uint64_t const other = __shfl_xor_sync(whole_warp, own_.first_violation, lanes);
            own_.first_violation = min(own_.first_violation, other);
        }
        if (threadIdx.x % warp_size == 0) {
            add_to(&device_sums.words, own_.words);
            add_to(&device_sums.products, own_.products);
            if (own_.violations != 0) {
                add_to(&device_sums.violations, own_.violations);
                atomicMin(reinterpret_cast<unsigned long long*>(&device_sums.first_violation),
                          static_cast<unsigned long long>(own_.first_violation));
            }
        }
    }

  private:
    static __device__ void add_to(std::uint64_t* sum, std::uint64_t part) {
        atomicAdd(reinterpret_cast<unsigned long long*>(sum),
                  static_cast<unsigned long long>(part));
    }

    [[nodiscard]] __device__ Word image_at(std::uint64_t index) const {
        return array_.encode.apply(array_.keys[index]);
    }

    /// Keys that a lane reads at once.
    struct Step {
        Load load{};
        Word behind{}; ///< raw key after them, if no lane of the warp reads it
    };

    /// True if the next lane reads the keys that follow this lane's.
    [[nodiscard]] static __device__ bool has_neighbour(std::uint64_t number, std::uint64_t loads) {
        return threadIdx.x % warp_size + 1 < warp_size && number + 1 < loads;
    }

    [[nodiscard]] __device__ Step step_at(std::uint64_t number, std::uint64_t loads) const {
        Step step;
        if (number < loads) {
            step.load.read(array_.keys, number);
            std::uint64_t const end = (number + 1) * load_keys;
            if (!has_neighbour(number, loads) && end < array_.count) {
                step.behind = array_.keys[end];
            }
        }
        return step;
    }

    __device__ void add_step(Step const& step, std::uint64_t number, std::uint64_t loads) {
        std::uint64_t const begin = number * load_keys;
        Word images[load_keys];
#pragma unroll
        for (int i = 0; i < load_keys; ++i) {
            images[i] = array_.encode.apply(step.load.words[i]);
        }
        Word next = image_behind(images[0]);
        if (number >= loads) {
            return;
        }
        if (!has_neighbour(number, loads)) {
            next = array_.encode.apply(step.behind);
        }
        std::uint64_t const end = begin + load_keys;
        bool const has_next = end < array_.count;
        std::uint32_t falls = has_next && next < images[load_keys - 1] ? 1 : 0;
        bool is_special = has_next && order_.is_special(next);
#pragma unroll
        for (int i = 0; i < load_keys; ++i) {
            add(begin + i, images[i]);
            is_special |= order_.is_special(images[i]);
            if (i + 1 < load_keys) {
                falls += images[i + 1] < images[i] ? 1 : 0;
            }
        }
        // Unsorted keys descend in every load: only a thread's first violation is located.
        if (Order::is_of_images && own_.first_violation != no_violation) {
            own_.violations += falls;
        } else if (falls != 0 || is_special) {
            for (int i = 0; i + 1 < load_keys; ++i) {
                compare(begin + i, images[i], images[i + 1]);
            }
            if (has_next) {
                compare(end - 1, images[load_keys - 1], next);
            }
        }
    }

    /// The first image of the next lane.
    [[nodiscard]] static __device__ Word image_behind(Word first) {
        if constexpr (sizeof(Word) == sizeof(WideImage)) {
            KeyImage const image = key_image(first);
            return wide_image({__shfl_down_sync(whole_warp, image.high, 1),
                               __shfl_down_sync(whole_warp, image.low, 1)});
        } else {
            return __shfl_down_sync(whole_warp, first, 1);
        }
    }

    __device__ void compare(std::uint64_t index, Word image, Word next) {
        if (order_.of(next) < order_.of(image)) {
            ++own_.violations;
            own_.first_violation = min(own_.first_violation, index);
        }
    }

    __device__ void add(std::uint64_t index, Word image) {
        std::uint64_t hash = hash_of_key(key_image(image), array_.seed);
        if constexpr (is_value<Value>) {
            hash = hash_with_value(hash, array_.values[index]);
        }
        ArrayDigest const digest = array_digest(hash);
        own_.words += digest.words;
        own_.products += digest.products;
    }

    ReadArray<Word, Value> array_;
    Order order_;
    ArraySums own_;
};

template <class Word, class Value, class Order, bool aligned>
__global__ void __launch_bounds__(check_threads, blocks_per_multiprocessor)
    summary_kernel(ReadArray<Word, Value> array, Order order) {
    ArraySummarizer<Word, Value, Order, aligned> summarizer{array, order};
    summarizer.read();
    summarizer.write();
}

/// A part to read and how.
struct Task {
    SortShape const& shape;
    SequencePart const& part;
    SummaryOptions const& options;
};

template <class Word, class Value, bool aligned>
void start(cudaStream_t stream, Task const& task) {
    std::uint64_t const loads = task.part.count / KeyLoad<Word, aligned>::keys + 1;
    auto const most =
        static_cast<std::uint64_t>(multiprocessor_count()) * blocks_per_multiprocessor;
    auto const blocks =
        static_cast<unsigned>(std::min((loads + check_threads - 1) / check_threads, most));
    ReadArray<Word, Value> const read{
        static_cast<Word const*>(task.part.keys),
        static_cast<Value const*>(task.part.values),
        task.part.count,
        encoding_masks<Word>(image_code(task.shape.key_type, task.shape.direction)),
        task.options.seed};
    with_image_order<Word>(
        task.shape, task.options.nan_order, [&]<class Order>(Order const& order) {
            summary_kernel<Word, Value, Order, aligned>
                <<<blocks, check_threads, 0, stream>>>(read, order);
        });
    KEYSWAP_CUDA(cudaGetLastError());
}

template <class Word, class Value>
void start_by_alignment(cudaStream_t stream, Task const& task) {
    bool const aligned = reinterpret_cast<std::uintptr_t>(task.part.keys) % sizeof(uint4) == 0;
    if (sizeof(Word) < sizeof(uint4) && aligned) {
        start<Word, Value, true>(stream, task);
    } else {
        start<Word, Value, false>(stream, task);
    }
}

} // namespace

void launch_array_summary(cudaStream_t stream,
                          SortShape const& shape,
                          SequencePart const& part,
                          SummaryOptions const& options) {
    ArraySums const none;
    KEYSWAP_CUDA(cudaMemcpyToSymbolAsync(
        device_sums, &none, sizeof none, 0, cudaMemcpyHostToDevice, stream));
    Task const task{shape, part, options};
    with_key_word(static_cast<int>(key_size_bytes(shape.key_type)), [&]<class Word>() {
        switch (shape.value_type) {
        case ValueType::bits32:
            return start_by_alignment<Word, std::uint32_t>(stream, task);
        case ValueType::bits64:
            return start_by_alignment<Word, std::uint64_t>(stream, task);
        case ValueType::none:
            return start_by_alignment<Word, NoValue>(stream, task);
        }
    });
}

ArraySums take_array_sums(cudaStream_t stream) {
    ArraySums sums;
    KEYSWAP_CUDA(cudaMemcpyFromSymbolAsync(
        &sums, device_sums, sizeof sums, 0, cudaMemcpyDeviceToHost, stream));
    KEYSWAP_CUDA(cudaStreamSynchronize(stream));
    return sums;
}

} // namespace keyswap::kernels
