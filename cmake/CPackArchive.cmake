# cpack reads this once for each kind of package: an archive unpacks into a folder of its own, and a .deb into /usr.
if(CPACK_GENERATOR MATCHES "^(TGZ|TXZ|TZST|ZIP)$")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
