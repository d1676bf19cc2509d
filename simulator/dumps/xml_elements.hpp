#pragma once

#include "traces/errors/input_error.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// An XML element, limited to the subset that NCCL writes: elements with attributes, without text
/// between them.
struct XmlElement {
    std::string name;
    int line = 0;
    std::map<std::string, std::string> attributes;
    std::vector<XmlElement> children;
};

/// Parses the root element. Skips prologue and comments; does not decode entities.
/// \param file name for messages
[[nodiscard]] Expected<XmlElement> parse_xml_elements(std::string_view text, std::string_view file);

} // namespace keyswap::simulator
