#include "kernels/ranks/peer_memory.hpp"

#include "kernels/device/peer_access.hpp"
#include "traces/records/digest.hpp"

#include <cuda.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace keyswap::kernels {

namespace {

std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = text.size();
    for (char const letter : text) {
        hash = mix_bits(hash ^ static_cast<unsigned char>(letter));
    }
    return hash;
}

/// Containers on one host have the same boot id, but usually different names and no common IPC.
std::uint64_t machine_hash() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    std::ifstream boot{"/proc/sys/kernel/random/boot_id"};
    return hash_of(name.data() + std::string{std::istreambuf_iterator<char>{boot},
                                             std::istreambuf_iterator<char>{}});
}

/// Process ids repeat in other namespaces, and a random number repeats after fork().
std::uint64_t process_hash() {
    static std::uint64_t const random = [] {
        std::random_device device;
        return (std::uint64_t{device()} << 32) | device();
    }();
    return mix_bits(mix_bits(machine_hash() ^ random) ^ static_cast<std::uint64_t>(getpid()));
}

/// True if the user has forbidden NCCL to let GPUs access each other's memory.
bool is_peer_access_forbidden() {
    char const* const value = std::getenv("NCCL_P2P_DISABLE");
    return value != nullptr && *value != '\0' && std::string_view{value} != "0";
}

/// True if `result` is success; otherwise forgets the error.
bool succeeded(cudaError_t result) {
    if (result != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
    }
    return result == cudaSuccess;
}

struct Allocation {
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
};

/// nullopt if it is unknown. The runtime has no such function.
std::optional<Allocation> allocation_of(void* data) {
    using GetAddressRange = CUresult (*)(CUdeviceptr*, std::size_t*, CUdeviceptr);
    constexpr unsigned first_version = 3020;
    void* function = nullptr;
    cudaDriverEntryPointQueryResult state{};
    if (!succeeded(cudaGetDriverEntryPointByVersion(
            "cuMemGetAddressRange", &function, first_version, cudaEnableDefault, &state)) ||
        function == nullptr) {
        return std::nullopt;
    }
    CUdeviceptr begin = 0;
    std::size_t bytes = 0;
    if (reinterpret_cast<GetAddressRange>(function)(
            &begin, &bytes, reinterpret_cast<CUdeviceptr>(data)) != CUDA_SUCCESS) {
        return std::nullopt;
    }
    return Allocation{begin, bytes};
}

} // namespace

MemoryOffer offer_memory(int device, void* data, std::size_t bytes) {
    MemoryOffer offer;
    offer.machine = machine_hash();
    offer.process = process_hash();
    offer.address = reinterpret_cast<std::uint64_t>(data);
    offer.device = device;
    auto const allocation = allocation_of(data);
    if (is_peer_access_forbidden() || !allocation) {
        return offer;
    }
    offer.offset = offer.address - allocation->begin;
    if (allocation->bytes - offer.offset < bytes) {
        return offer;
    }
    offer.is_exportable = succeeded(cudaIpcGetMemHandle(
        &offer.allocation,
        reinterpret_cast<void*>(allocation->begin))); // NOLINT(performance-no-int-to-ptr)
    return offer;
}

std::optional<PeerMemory> PeerMemory::open(MemoryOffer const& offer, MemoryOffer const& own) {
    if (offer.is_exportable == 0 || offer.machine != own.machine) {
        return std::nullopt;
    }
    if (offer.process == own.process) {
        if (!enable_peer_access({offer.device, own.device})) {
            return std::nullopt;
        }
        return PeerMemory{reinterpret_cast<void*>(offer.address),
                          nullptr}; // NOLINT(performance-no-int-to-ptr)
    }
    void* mapping = nullptr;
    if (!succeeded(
            cudaIpcOpenMemHandle(&mapping, offer.allocation, cudaIpcMemLazyEnablePeerAccess))) {
        return std::nullopt;
    }
    return PeerMemory{static_cast<std::byte*>(mapping) + offer.offset, mapping};
}

PeerMemory::PeerMemory(void* data, void* mapping)
    : data_(data), mapping_(mapping, [](void* opened) {
          static_cast<void>(succeeded(cudaIpcCloseMemHandle(opened)));
      }) {}

} // namespace keyswap::kernels
