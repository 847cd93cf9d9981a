# Runs the device tests, or fails with a sentence where the driver is not there.
if(ICD AND NOT EXISTS "${ICD}")
  message(FATAL_ERROR "There is no Vulkan driver ${ICD}. ./test.sh installs lavapipe and SwiftShader on Debian; elsewhere "
    "name the drivers there are: cmake -D TALUS_DEVICE_ICDS=\"name=ICD file;...\" (README.md, Testing)")
endif()
execute_process(COMMAND "${TESTS}" "[device]" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "talus_tests [device] ended with status ${status}")
endif()
