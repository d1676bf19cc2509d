#include "kernels/multisplit.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace keyswap::kernels {

namespace {

constexpr std::string_view paper = "Ashkiani et al., GPU Multisplit, 2017";
constexpr std::string_view intel = "Satish et al., Intel report, 2010";
constexpr std::string_view own = "Keyswap";
constexpr std::uint32_t any = 65536;

constexpr std::array methods{
    MultisplitMethodInfo{MultisplitMethod::direct, "direct", 32, Stability::stable, paper},
    MultisplitMethodInfo{MultisplitMethod::warp, "warp", 32, Stability::stable, paper},
    MultisplitMethodInfo{MultisplitMethod::block, "block", 256, Stability::stable, paper},
    MultisplitMethodInfo{
        MultisplitMethod::reduced_bit, "reduced-bit", any, Stability::stable, paper},
    MultisplitMethodInfo{MultisplitMethod::scan_split, "scan-split", 2, Stability::stable, paper},
    MultisplitMethodInfo{
        MultisplitMethod::recursive_split, "recursive-split", any, Stability::stable, paper},
    MultisplitMethodInfo{MultisplitMethod::bit_split, "bit-split", 4096, Stability::stable, intel},
    MultisplitMethodInfo{MultisplitMethod::fused, "fused", 256, Stability::stable, own},
    MultisplitMethodInfo{MultisplitMethod::atomic, "atomic", 512, Stability::unstable, own},
    MultisplitMethodInfo{MultisplitMethod::split1, "split1", 2, Stability::stable, own}};

} // namespace

std::span<MultisplitMethodInfo const> multisplit_methods() {
    return methods;
}

MultisplitMethodInfo const& info_of(MultisplitMethod method) {
    auto const* const found = std::ranges::find(methods, method, &MultisplitMethodInfo::method);
    KEYSWAP_EXPECTS(found != methods.end());
    return *found;
}

Expected<MultisplitMethod> parse_multisplit_method(std::string_view text) {
    return find_named(methods, &MultisplitMethodInfo::name, text, "method")
        .map([](MultisplitMethodInfo const* info) { return info->method; });
}

} // namespace keyswap::kernels
