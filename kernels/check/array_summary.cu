#include "kernels/check/array_summary.hpp"
#include "kernels/device/cuda_check.hpp"
#include "kernels/device/multiprocessors.hpp"
#include "kernels/primitives/move_values.cuh"

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr int check_threads = 512;
constexpr int blocks_per_multiprocessor = 4;
constexpr int warp_size = 32;
constexpr std::uint32_t whole_warp = 0xffffffffU;

/// Keys of one load: 16 bytes where the array is aligned to them, else one key.
template <class Word, bool aligned>
struct KeyLoad {
    static constexpr int keys = aligned ? static_cast<int>(sizeof(uint4) / sizeof(Word)) : 1;
    Word words[keys];

    __device__ void read(Word const* array, std::uint64_t number) {
        if constexpr (aligned && sizeof(Word) < sizeof(uint4)) {
            union {
                uint4 vector;
                Word words[keys];
            } loaded;
            loaded.vector = __ldcs(reinterpret_cast<uint4 const*>(array) + number);
#pragma unroll
            for (int i = 0; i < keys; ++i) {
                words[i] = loaded.words[i];
            }
        } else {
            words[0] = array[number];
        }
    }
};

/// A thread's part of an array.
template <class Word, class Value, bool aligned>
class ArraySummarizer {
    using Load = KeyLoad<Word, aligned>;
    static constexpr int load_keys = Load::keys;

  public:
    __device__ explicit ArraySummarizer(SummarizedArray const& array)
        : keys_(static_cast<Word const*>(array.keys)),
          values_(static_cast<Value const*>(array.values)), count_(array.count),
          encode_(encoding_masks<Word>(array.code)), seed_(array.seed) {}

    /// All lanes of a warp take as many steps: each compares its last key with the first of the
    /// lane behind it.
    __device__ void read() {
        std::uint64_t const loads = count_ / load_keys;
        std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
        std::uint64_t const thread =
            blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
        auto const lane = static_cast<std::uint64_t>(threadIdx.x % warp_size);
        for (std::uint64_t at = thread; at - lane < loads; at += stride) {
            read_load(at, at < loads, loads);
        }
        if (thread == 0) {
            for (std::uint64_t i = loads * load_keys; i < count_; ++i) { // less than a load
                add(i, image_at(i));
                if (i + 1 < count_) {
                    compare(i, image_at(i), image_at(i + 1));
                }
            }
        }
    }

    __device__ void write(ArraySums* sums) {
        for (int lanes = warp_size / 2; lanes > 0; lanes /= 2) {
            own_.words += __shfl_xor_sync(whole_warp, own_.words, lanes);
            own_.products += __shfl_xor_sync(whole_warp, own_.products, lanes);
            own_.violations += __shfl_xor_sync(whole_warp, own_.violations, lanes);
            std::uint64_t const other = __shfl_xor_sync(whole_warp, own_.first_violation, lanes);
            own_.first_violation = min(own_.first_violation, other);
        }
        if (threadIdx.x % warp_size == 0) {
            add_to(&sums->words, own_.words);
            add_to(&sums->products, own_.products);
            if (own_.violations != 0) {
                add_to(&sums->violations, own_.violations);
                atomicMin(reinterpret_cast<unsigned long long*>(&sums->first_violation),
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
        return encode_.turn(keys_[index]);
    }

    __device__ void read_load(std::uint64_t number, bool is_load, std::uint64_t loads) {
        Load load{};
        if (is_load) {
            load.read(keys_, number);
        }
        std::uint64_t const begin = number * load_keys;
        Word images[load_keys];
#pragma unroll
        for (int i = 0; i < load_keys; ++i) {
            images[i] = encode_.turn(load.words[i]);
        }
        Word next = image_behind(images[0]);
        if (!is_load) {
            return;
        }
        bool const is_neighbour = threadIdx.x % warp_size + 1 < warp_size && number + 1 < loads;
        std::uint64_t const end = begin + load_keys;
        if (!is_neighbour && end < count_) {
            next = image_at(end);
        }
        bool is_violated = end < count_ && next < images[load_keys - 1];
#pragma unroll
        for (int i = 0; i < load_keys; ++i) {
            add(begin + i, images[i]);
            if (i + 1 < load_keys) {
                is_violated |= images[i + 1] < images[i];
            }
        }
        if (is_violated) { // rarely: the places are looked at only then
            for (int i = 0; i + 1 < load_keys; ++i) {
                compare(begin + i, images[i], images[i + 1]);
            }
            if (end < count_) {
                compare(end - 1, images[load_keys - 1], next);
            }
        }
    }

    /// The first image of the lane behind this one.
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
        if (next < image) {
            ++own_.violations;
            own_.first_violation = min(own_.first_violation, index);
        }
    }

    __device__ void add(std::uint64_t index, Word image) {
        std::uint64_t hash = 0;
        if constexpr (sizeof(Word) == sizeof(WideImage)) {
            hash = hash_of_key(key_image(image), seed_);
        } else {
            hash = hash_of_key({0, image}, seed_);
        }
        if constexpr (is_value<Value>) {
            hash = hash_with_value(hash, values_[index]);
        }
        ArrayDigest const digest = array_digest(hash);
        own_.words += digest.words;
        own_.products += digest.products;
    }

    Word const* keys_;
    Value const* values_;
    std::uint64_t count_;
    ImageMasks<Word> encode_;
    std::uint64_t seed_;
    ArraySums own_;
};

template <class Word, class Value, bool aligned>
__global__ void __launch_bounds__(check_threads)
    summary_kernel(SummarizedArray array, ArraySums* sums) {
    ArraySummarizer<Word, Value, aligned> summarizer{array};
    summarizer.read();
    summarizer.write(sums);
}

template <class Word, class Value, bool aligned>
void start(cudaStream_t stream, SummarizedArray const& array, ArraySums* sums) {
    std::uint64_t const loads = array.count / KeyLoad<Word, aligned>::keys + 1;
    auto const most =
        static_cast<std::uint64_t>(multiprocessor_count()) * blocks_per_multiprocessor;
    auto const blocks =
        static_cast<unsigned>(std::min((loads + check_threads - 1) / check_threads, most));
    summary_kernel<Word, Value, aligned><<<blocks, check_threads, 0, stream>>>(array, sums);
    KEYSWAP_CUDA(cudaGetLastError());
}

template <class Word, class Value>
void start_by_alignment(cudaStream_t stream, SummarizedArray const& array, ArraySums* sums) {
    bool const aligned = reinterpret_cast<std::uintptr_t>(array.keys) % sizeof(uint4) == 0;
    if (sizeof(Word) < sizeof(uint4) && aligned) {
        start<Word, Value, true>(stream, array, sums);
    } else {
        start<Word, Value, false>(stream, array, sums);
    }
}

template <class Word>
void start_by_value(cudaStream_t stream,
                    int value_bytes,
                    SummarizedArray const& array,
                    ArraySums* sums) {
    switch (value_bytes) {
    case 4:
        start_by_alignment<Word, std::uint32_t>(stream, array, sums);
        break;
    case 8:
        start_by_alignment<Word, std::uint64_t>(stream, array, sums);
        break;
    default:
        start_by_alignment<Word, NoValue>(stream, array, sums);
    }
}

} // namespace

void launch_array_summary(cudaStream_t stream,
                          int key_bytes,
                          int value_bytes,
                          SummarizedArray const& array,
                          ArraySums* sums) {
    switch (key_bytes) {
    case 4:
        start_by_value<std::uint32_t>(stream, value_bytes, array, sums);
        break;
    case 8:
        start_by_value<std::uint64_t>(stream, value_bytes, array, sums);
        break;
    default:
        start_by_value<WideImage>(stream, value_bytes, array, sums);
    }
}

} // namespace keyswap::kernels
