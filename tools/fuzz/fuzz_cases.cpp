#include "proptests/properties/sort_case.hpp"
#include "tools/fuzz/fuzzing.hpp"

/// A valid saved case survives a round trip.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace keyswap;
    using namespace keyswap::fuzzing;
    std::string const text = text_of(data, size);
    auto const sort_case = proptests::parse_sort_case(text, "fuzz");
    if (!sort_case) {
        require_message(sort_case.error(), text);
        return 0;
    }
    int const bits = key_bits(sort_case->config.key_type);
    for (std::uint64_t const image : sort_case->images) {
        require(bits == 64 || image >> bits == 0, "an image fits into a key");
    }
    auto const again = proptests::parse_sort_case(proptests::to_text(*sort_case), "again");
    require(again.has_value() && *again == *sort_case, "a case is read again as it was saved");
    return 0;
}
