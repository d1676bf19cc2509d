// Sorts offers by two columns, price descending and article ascending, reorders a wide third column
// by row numbers, and checks the result. To reuse it, link keyswap::kernels and compile with nvcc
// -std=c++20.

#include "kernels/permute.cuh"
#include "kernels/sample_sort.cuh"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

using namespace keyswap::kernels;

namespace {

constexpr std::uint32_t rows = 1'000'000;
constexpr int no_gpu = 77; // CTest: skipped

/// The two columns, and the row number of the others.
struct Offer {
    double price;
    std::uint32_t article;
    std::uint32_t row;
};

struct DearestFirst {
    __host__ __device__ bool operator()(Offer const& a, Offer const& b) const {
        return a.price != b.price ? a.price > b.price : a.article < b.article;
    }
};

/// The third column: too wide to be moved during the sort.
using Description = std::array<char, 40>;

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

__global__ void take_rows(Offer const* offers, std::uint32_t* numbers) {
    std::uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        numbers[i] = offers[i].row;
    }
}

Description description_of(std::uint32_t row) {
    Description text{};
    std::snprintf(text.data(), text.size(), "article of row %u", row);
    return text;
}

int failed(keyswap::kernels::SortError const& error) {
    std::fprintf(stderr, "sort_two_columns: %s\n", error.message.c_str());
    return 2;
}

} // namespace

int main() {
    if (int gpus = 0; cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        std::fprintf(stderr, "sort_two_columns: there is no GPU\n");
        return no_gpu;
    }
    std::vector<Offer> offers(rows);
    std::vector<Description> descriptions(rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
        offers[i] = {i * 7919U % 1000 / 4.0, i * 104'729U % 5000, i}; // many offers are equal
        descriptions[i] = description_of(i);
    }
    auto const sorted = on_device(offers);
    auto const unordered = on_device(descriptions);
    DeviceBuffer<std::uint32_t> const numbers{0, rows};
    DeviceBuffer<Description> const in_order{0, rows};

    auto sort = RecordSorter<Offer, DearestFirst>::create(rows);
    if (!sort) {
        return failed(sort.error());
    }
    if (auto const done = (*sort)(sorted.data(), rows); !done) {
        return failed(done.error());
    }
    constexpr unsigned threads = 256;
    take_rows<<<(rows + threads - 1) / threads, threads>>>(sorted.data(), numbers.data());
    KEYSWAP_CUDA(cudaGetLastError());
    if (auto const done = permute(numbers.data(), unordered.data(), in_order.data(), rows); !done) {
        return failed(done.error());
    }

    // Checks that the order equals std::sort's and every row occurs once, with its own description.
    auto const result = on_host(sorted);
    auto const texts = on_host(in_order);
    std::stable_sort(offers.begin(), offers.end(), DearestFirst{});
    std::vector<bool> seen(rows);
    std::uint64_t wrong = 0;
    for (std::uint32_t i = 0; i < rows; ++i) {
        Offer const& offer = result[i];
        bool const in_place =
            !DearestFirst{}(offer, offers[i]) && !DearestFirst{}(offers[i], offer);
        bool const is_new = offer.row < rows && !seen[offer.row];
        if (is_new) {
            seen[offer.row] = true;
        }
        wrong += in_place && is_new && texts[i] == description_of(offer.row) ? 0 : 1;
    }
    for (std::uint32_t const i : {0U, 1U, rows - 1}) {
        std::printf("%8u: %6.2f %4u %s\n", i, result[i].price, result[i].article, texts[i].data());
    }
    std::printf("%s\n", wrong == 0 ? "in order, every row once and with its own text" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
