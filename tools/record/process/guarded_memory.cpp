#include "tools/record/process/guarded_memory.hpp"

#include "traces/errors/try.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace keyswap::conformance {

namespace {

constexpr std::byte canary{0xa5};
constexpr std::size_t alignment_bytes = 64;

/// Large, to catch strided accesses far past the end; untouched pages use no memory.
constexpr std::size_t guard_bytes = std::size_t{1} << 20;

std::size_t page_size() {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace

Expected<GuardedMemory> GuardedMemory::allocate(std::size_t size_bytes) {
    std::size_t const page = page_size();
    std::size_t const inner = (size_bytes + page) / page * page; // at least one byte of slack
    GuardedMemory memory;
    void* const mapping = ::mmap(nullptr,
                                 inner + 2 * guard_bytes,
                                 PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                                 -1,
                                 0);
    if (mapping == MAP_FAILED) {
        return input_error(
            "memory", std::to_string(size_bytes) + " bytes cannot be allocated", "give fewer keys");
    }
    memory.mapping_ = static_cast<std::byte*>(mapping);
    memory.mapping_size_ = inner + 2 * guard_bytes;
    memory.size_ = size_bytes;
    memory.begin_ = (guard_bytes + inner - size_bytes) / alignment_bytes * alignment_bytes;
    std::byte* const guard_after = memory.mapping_ + guard_bytes + inner;
    std::fill(memory.mapping_ + guard_bytes, guard_after, canary);
    bool const guarded = ::mprotect(memory.mapping_, guard_bytes, PROT_NONE) == 0 &&
                         ::mprotect(guard_after, guard_bytes, PROT_NONE) == 0;
    if (!guarded) {
        return input_error("memory", "cannot be guarded", "try fewer keys");
    }
    return memory;
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept {
    *this = std::move(other);
}

GuardedMemory& GuardedMemory::operator=(GuardedMemory&& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(mapping_size_, other.mapping_size_);
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
}

GuardedMemory::~GuardedMemory() {
    if (mapping_ != nullptr) {
        ::munmap(mapping_, mapping_size_);
    }
}

std::span<std::byte> GuardedMemory::bytes() const {
    return {mapping_ + begin_, size_};
}

std::optional<MemorySide> GuardedMemory::changed_side() const {
    auto const is_canary = [](std::byte value) { return value == canary; };
    std::byte const* const begin = mapping_ + begin_;
    if (!std::all_of(begin + size_,
                     static_cast<std::byte const*>(mapping_) + mapping_size_ - guard_bytes,
                     is_canary)) {
        return MemorySide::after;
    }
    if (is_touched(mapping_ + mapping_size_ - guard_bytes)) {
        return MemorySide::after;
    }
    bool const intact =
        std::all_of(static_cast<std::byte const*>(mapping_) + guard_bytes, begin, is_canary) &&
        !is_touched(mapping_);
    return intact ? std::nullopt : std::optional(MemorySide::before);
}

/// True if a page of the guard is resident: pages that nobody touched are not.
bool GuardedMemory::is_touched(std::byte const* guard) const {
    std::vector<unsigned char> pages(guard_bytes / page_size());
    bool const known = ::mincore(const_cast<std::byte*>(guard), guard_bytes, pages.data()) == 0;
    return known && std::ranges::any_of(pages, [](unsigned char page) { return (page & 1U) != 0; });
}

std::uint64_t GuardedMemory::content_hash() const {
    std::uint64_t hash = 0;
    for (auto rest = bytes(); !rest.empty();) {
        std::uint64_t word = 0;
        std::size_t const size = std::min(rest.size(), sizeof(word));
        std::memcpy(&word, rest.data(), size);
        hash = mix_bits(hash + word + 0x9e3779b97f4a7c15ULL);
        rest = rest.subspan(size);
    }
    return hash;
}

std::optional<MemorySide> GuardedMemory::guard_at(std::uintptr_t address) const {
    auto const begin = reinterpret_cast<std::uintptr_t>(mapping_);
    if (address >= begin && address < begin + guard_bytes) {
        return MemorySide::before;
    }
    std::uintptr_t const end = begin + mapping_size_;
    bool const after = address >= end - guard_bytes && address < end;
    return after ? std::optional(MemorySide::after) : std::nullopt;
}

} // namespace keyswap::conformance
