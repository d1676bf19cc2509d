#include "proptests/guarded_memory.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace keyswap::conformance {

namespace {

constexpr std::byte canary{0xa5};
constexpr std::size_t alignment_bytes = 64;

std::size_t page_size() {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace

Expected<GuardedMemory> GuardedMemory::allocate(std::size_t size_bytes) {
    std::size_t const page = page_size();
    std::size_t const inner = (size_bytes + page) / page * page; // at least one byte of slack
    GuardedMemory memory;
    void* const mapping = ::mmap(
        nullptr, inner + 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
        return tl::unexpected(InputError{
            "memory", std::to_string(size_bytes) + " bytes cannot be had", "give fewer keys"});
    }
    memory.mapping_ = static_cast<std::byte*>(mapping);
    memory.mapping_size_ = inner + 2 * page;
    memory.size_ = size_bytes;
    memory.begin_ = (page + inner - size_bytes) / alignment_bytes * alignment_bytes;
    std::fill(memory.mapping_ + page, memory.mapping_ + page + inner, canary);
    bool const guarded = ::mprotect(memory.mapping_, page, PROT_NONE) == 0 &&
                         ::mprotect(memory.mapping_ + page + inner, page, PROT_NONE) == 0;
    if (!guarded) {
        return tl::unexpected(InputError{"memory", "cannot be guarded", "try fewer keys"});
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

bool GuardedMemory::surroundings_intact() const {
    std::size_t const page = page_size();
    auto const is_canary = [](std::byte value) { return value == canary; };
    return std::all_of(mapping_ + page, mapping_ + begin_, is_canary) &&
           std::all_of(mapping_ + begin_ + size_, mapping_ + mapping_size_ - page, is_canary);
}

} // namespace keyswap::conformance
