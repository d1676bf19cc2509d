#include "kernels/ranks/shared_memory.hpp"

#include <algorithm>
#include <functional>

namespace keyswap::kernels {

void SharedMemory::Remove::operator()(SharedBuffers* list) const noexcept {
    list->remove(id);
}

SharedMemory SharedBuffers::add(void* data, std::size_t bytes) {
    entries_.reserve(entries_.size() + 1);
    SharedBlock block = ranks_.share_memory(data, bytes);
    std::uint64_t const id = block.id;
    entries_.push_back({std::move(block), static_cast<std::byte*>(data), bytes});
    return {*this, id};
}

bool SharedBuffers::are_accessible() const {
    return !entries_.empty() && std::ranges::none_of(entries_, [](Entry const& entry) {
        return entry.block.addresses.empty();
    });
}

SharedPlace SharedBuffers::find(void const* address) const {
    auto const* const at = static_cast<std::byte const*>(address);
    auto const found = std::ranges::find_if(entries_, [at](Entry const& entry) {
        return !entry.block.addresses.empty() && !std::less{}(at, entry.data) &&
               std::less{}(at, entry.data + entry.bytes);
    });
    if (found == entries_.end()) {
        return {};
    }
    return {found->block.id, static_cast<std::uint64_t>(at - found->data)};
}

std::optional<void*> SharedBuffers::address(std::uint32_t rank, SharedPlace place) const {
    auto const found = std::ranges::find_if(
        entries_, [place](Entry const& entry) { return entry.block.id == place.block; });
    if (found == entries_.end() || found->block.addresses.empty()) {
        return std::nullopt;
    }
    return static_cast<std::byte*>(found->block.addresses[rank]) + place.offset;
}

void SharedBuffers::remove(std::uint64_t id) noexcept {
    ranks_.unshare_memory(id);
    std::erase_if(entries_, [id](Entry const& entry) { return entry.block.id == id; });
}

} // namespace keyswap::kernels
