// Splits a column of temperatures into frost, mild and heat by a lambda, with row numbers, and
// checks the result. To reuse it, link keyswap::kernels and compile with nvcc --extended-lambda.

#include "kernels/multisplit.cuh"

#include <cstdio>
#include <numeric>
#include <vector>

using namespace keyswap::kernels;

namespace {

constexpr std::uint64_t rows = 1'000'000;
constexpr std::uint32_t buckets = 3;
constexpr int no_gpu = 77; // CTest: skipped

std::uint32_t expected_bucket(float celsius) {
    return celsius < 0 ? 0 : celsius < 25 ? 1 : 2;
}

template <class T>
DeviceBuffer<T> on_device(std::vector<T> const& host) {
    DeviceBuffer<T> buffer{0, host.size()};
    KEYSWAP_CUDA(
        cudaMemcpy(buffer.data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return buffer;
}

template <class T>
std::vector<T> on_host(DeviceBuffer<T> const& buffer) {
    std::vector<T> host(buffer.size());
    KEYSWAP_CUDA(
        cudaMemcpy(host.data(), buffer.data(), host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

} // namespace

int main() {
    if (int gpus = 0; cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        std::fprintf(stderr, "split_column: there is no GPU\n");
        return no_gpu;
    }
    std::vector<float> celsius(rows);
    for (std::uint64_t i = 0; i < rows; ++i) {
        celsius[i] = static_cast<float>(i * 7919 % 600) / 10 - 20; // -20 to 39.9
    }
    std::vector<std::uint32_t> row(rows);
    std::iota(row.begin(), row.end(), 0U);

    auto const keys = on_device(celsius);
    auto const values = on_device(row);
    DeviceBuffer<float> const keys_out{0, rows};
    DeviceBuffer<std::uint32_t> const values_out{0, rows};
    DeviceBuffer<std::uint64_t> const starts{0, buckets};

    auto const by_weather = [] __device__(float degrees) {
        return degrees < 0 ? 0U : degrees < 25 ? 1U : 2U;
    };
    auto split = FunctorMultisplit<float, std::uint32_t, decltype(by_weather)>::create(
        buckets, rows, by_weather);
    if (!split) {
        std::fprintf(stderr, "split_column: %s\n", split.error().message.c_str());
        return 2;
    }
    auto const done = (*split)(
        keys.data(), keys_out.data(), values.data(), values_out.data(), rows, starts.data());
    if (!done) {
        std::fprintf(stderr, "split_column: %s\n", done.error().message.c_str());
        return 2;
    }

    // Checks that every row occurs once, in its bucket, in input order.
    auto const sorted = on_host(keys_out);
    auto const moved = on_host(values_out);
    auto const begins = on_host(starts);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < rows; ++i) {
        std::uint32_t const bucket = i < begins[1] ? 0 : i < begins[2] ? 1 : 2;
        bool const in_place =
            sorted[i] == celsius[moved[i]] && expected_bucket(sorted[i]) == bucket;
        bool const in_order = i == begins[bucket] || moved[i - 1] < moved[i];
        wrong += in_place && in_order ? 0 : 1;
    }
    std::printf("frost %llu, mild %llu, heat %llu: %s\n",
                static_cast<unsigned long long>(begins[1]),
                static_cast<unsigned long long>(begins[2] - begins[1]),
                static_cast<unsigned long long>(rows - begins[2]),
                wrong == 0 ? "every row in its bucket, in the input's order" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
